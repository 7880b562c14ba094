package dev.reservoir.pgwire.server;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.pgwire.PgException;
import dev.reservoir.pgwire.PgType;
import dev.reservoir.pgwire.message.ServerMessages;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The formats of parameters or columns, as a Bind message gives them: none for text everywhere, one for all, or one for
 * each. Immutable.
 */
record Formats(List<Integer> codes) {
    private static final int BINARY = 1;

    static final Formats TEXT = new Formats(List.of());

    /** Reads the number of formats and the formats. */
    static Formats read(ByteBuf in) {
        List<Integer> codes = new ArrayList<>();
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            int code = in.readUnsignedShort();
            if (code != ServerMessages.TEXT_FORMAT && code != BINARY) {
                throw new PgException(PgError.error("22023", "unsupported format code " + code));
            }
            codes.add(code);
        }
        return new Formats(List.copyOf(codes));
    }

    /** The format of the parameter or column at an index. */
    int of(int index) {
        if (codes.isEmpty()) {
            return ServerMessages.TEXT_FORMAT;
        }
        return codes.size() == 1 ? codes.get(0) : codes.get(index);
    }

    /** Fails unless there are formats for this many parameters or columns. */
    void check(int count, String what) {
        if (codes.size() > 1 && codes.size() != count) {
            throw new PgException(PgError.error(
                    "08P01",
                    "bind message has " + codes.size() + " " + what + " formats but " + count + " " + what + "s"));
        }
    }

    byte[] encode(int index, PgType type, String value) {
        return of(index) == BINARY ? BinaryFormat.encode(type, value) : value.getBytes(StandardCharsets.UTF_8);
    }

    /** Reads the values of the parameters with these types, as text. */
    List<@Nullable String> readValues(ByteBuf in, List<Integer> typeOids) {
        int count = in.readUnsignedShort();
        if (count != typeOids.size()) {
            throw new PgException(PgError.error(
                    "08P01",
                    "bind message supplies " + count + " parameters, but the prepared statement requires "
                            + typeOids.size()));
        }
        check(count, "parameter");
        List<@Nullable String> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = in.readInt();
            values.add(length < 0 ? null : decode(in.readSlice(length), of(i), typeOids.get(i)));
        }
        return values;
    }

    private static String decode(ByteBuf value, int format, int typeOid) {
        if (format != BINARY) {
            return value.toString(StandardCharsets.UTF_8);
        }
        PgType type = PgType.ofOid(typeOid);
        if (type == null) {
            throw new PgException(PgError.error("0A000", "binary format of type " + typeOid + " is not supported"));
        }
        return BinaryFormat.decode(type, value);
    }
}
