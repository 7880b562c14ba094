package dev.reservoir.pgwire.message;

import dev.reservoir.pgwire.PgError;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Whole messages of PostgreSQL's protocol 3.0: one byte for the type, four for the length, then the body. Reads what
 * clients and servers have in common. Never keeps a buffer.
 */
public final class Frames {
    /** Length of the type and the length field of a message. */
    public static final int HEADER = 5;

    /** Longest message that any part of this module accepts. A whole message is held in memory. */
    public static final int LONGEST_MESSAGE = 64 << 20;

    private Frames() {}

    static ByteBuf frame(char type, Consumer<ByteBuf> body) {
        ByteBuf out = Unpooled.buffer(64);
        out.writeByte(type).writeInt(0);
        body.accept(out);
        out.setInt(1, out.writerIndex() - 1);
        return out;
    }

    static ByteBuf bare(char type) {
        return Unpooled.buffer(HEADER).writeByte(type).writeInt(4);
    }

    static void writeText(ByteBuf out, String value) {
        out.writeCharSequence(value, StandardCharsets.UTF_8);
        out.writeByte(0);
    }

    /** Reads a text and the zero byte that ends it. */
    public static String text(ByteBuf in) {
        int length = in.bytesBefore((byte) 0);
        if (length < 0) {
            throw new IllegalArgumentException("a text without an end");
        }
        String value = in.readCharSequence(length, StandardCharsets.UTF_8).toString();
        in.skipBytes(1);
        return value;
    }

    /** The type of a whole message. Does not move the reader index. */
    public static char type(ByteBuf frame) {
        return (char) frame.getUnsignedByte(frame.readerIndex());
    }

    /** The part after type and length, as a view that is not retained. */
    public static ByteBuf body(ByteBuf frame) {
        return frame.slice(frame.readerIndex() + HEADER, frame.readableBytes() - HEADER);
    }

    public static byte[] rest(ByteBuf in) {
        byte[] bytes = new byte[in.readableBytes()];
        in.getBytes(in.readerIndex(), bytes);
        return bytes;
    }

    /** The columns of a whole DataRow, as text. A null is an empty text. */
    public static List<String> columns(ByteBuf frame) {
        ByteBuf body = body(frame);
        List<String> columns = new ArrayList<>();
        for (int left = body.readUnsignedShort(); left > 0; left--) {
            int length = Math.max(0, body.readInt());
            columns.add(body.readCharSequence(length, StandardCharsets.UTF_8).toString());
        }
        return columns;
    }

    /** The error of a whole ErrorResponse. Does not move the reader index. */
    public static PgError error(ByteBuf frame) {
        ByteBuf body = body(frame);
        Map<Character, String> fields = new LinkedHashMap<>();
        while (body.isReadable()) {
            char letter = (char) body.readUnsignedByte();
            if (letter == 0) {
                break;
            }
            fields.put(letter, text(body));
        }
        return new PgError(fields);
    }
}
