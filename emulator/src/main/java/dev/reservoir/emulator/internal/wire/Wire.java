package dev.reservoir.emulator.internal.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Writes and reads messages of PostgreSQL's protocol 3.0. Never keeps a buffer. */
public final class Wire {
    public static final int SSL_REQUEST = 80877103;
    public static final int GSS_REQUEST = 80877104;
    public static final int CANCEL_REQUEST = 80877102;
    public static final int PROTOCOL_3 = 3 << 16;

    /** Length of the type and the length field of a message. */
    public static final int HEADER = 5;

    /** Longest message. The emulator holds a whole message in memory before it passes it on. */
    public static final int LONGEST_MESSAGE = 64 << 20;

    private Wire() {}

    private static ByteBuf message(char type, Consumer<ByteBuf> body) {
        ByteBuf out = Unpooled.buffer(64);
        out.writeByte(type).writeInt(0);
        body.accept(out);
        out.setInt(1, out.writerIndex() - 1);
        return out;
    }

    private static ByteBuf bare(char type) {
        return Unpooled.buffer(HEADER).writeByte(type).writeInt(4);
    }

    private static void text(ByteBuf out, String value) {
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

    /** The part after the names in a Bind without parameters: no formats, no values. */
    public static byte[] noValues() {
        return new byte[6];
    }

    /** The part after the SQL in a Parse that names no types. */
    public static byte[] noTypes() {
        return new byte[2];
    }

    /** A copy of the rest of a buffer. */
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

    // Messages of the client.

    public static ByteBuf startup(Map<String, String> parameters) {
        ByteBuf out = Unpooled.buffer(256);
        out.writeInt(0).writeInt(PROTOCOL_3);
        parameters.forEach((name, value) -> {
            text(out, name);
            text(out, value);
        });
        out.writeByte(0);
        out.setInt(0, out.writerIndex());
        return out;
    }

    public static ByteBuf cancel(int processId, int secret) {
        return Unpooled.buffer(16)
                .writeInt(16)
                .writeInt(CANCEL_REQUEST)
                .writeInt(processId)
                .writeInt(secret);
    }

    public static ByteBuf password(String password) {
        return message('p', out -> text(out, password));
    }

    public static ByteBuf saslInitial(String mechanism, String data) {
        byte[] bytes = data.getBytes(StandardCharsets.UTF_8);
        return message('p', out -> {
            text(out, mechanism);
            out.writeInt(bytes.length).writeBytes(bytes);
        });
    }

    public static ByteBuf saslResponse(String data) {
        return message('p', out -> out.writeCharSequence(data, StandardCharsets.UTF_8));
    }

    /**
     * A Parse message. {@code types} is the part after the SQL in the client's own message: the types of the
     * parameters.
     */
    public static ByteBuf parse(String name, String sql, ByteBuf types) {
        return message('P', out -> {
            text(out, name);
            text(out, sql);
            out.writeBytes(types, types.readerIndex(), types.readableBytes());
        });
    }

    public static ByteBuf parse(String name, String sql) {
        return parse(name, sql, Unpooled.wrappedBuffer(noTypes()));
    }

    public static ByteBuf bind(String portal, String statement) {
        return bind(portal, statement, noValues());
    }

    /** A Bind message. {@code values} is the part after the two names: formats and parameters. */
    public static ByteBuf bind(String portal, String statement, byte[] values) {
        return message('B', out -> {
            text(out, portal);
            text(out, statement);
            out.writeBytes(values);
        });
    }

    public static ByteBuf describePortal(String portal) {
        return message('D', out -> {
            out.writeByte('P');
            text(out, portal);
        });
    }

    public static ByteBuf execute(String portal) {
        return execute(portal, 0);
    }

    /** An Execute message for at most this many rows; 0 means all. */
    public static ByteBuf execute(String portal, int rows) {
        return message('E', out -> {
            text(out, portal);
            out.writeInt(rows);
        });
    }

    public static ByteBuf query(String sql) {
        return message('Q', out -> text(out, sql));
    }

    public static ByteBuf closePortal(String name) {
        return message('C', out -> {
            out.writeByte('P');
            text(out, name);
        });
    }

    public static ByteBuf closeStatement(String name) {
        return message('C', out -> {
            out.writeByte('S');
            text(out, name);
        });
    }

    public static ByteBuf flush() {
        return bare('H');
    }

    public static ByteBuf sync() {
        return bare('S');
    }

    public static ByteBuf terminate() {
        return bare('X');
    }

    // Messages of the server.

    public static ByteBuf authenticationOk() {
        return message('R', out -> out.writeInt(0));
    }

    public static ByteBuf cleartextPassword() {
        return message('R', out -> out.writeInt(3));
    }

    /** Says that the server speaks only protocol 3.0 and does not know these options. */
    public static ByteBuf negotiateProtocol(List<String> unknownOptions) {
        return message('v', out -> {
            out.writeInt(PROTOCOL_3).writeInt(unknownOptions.size());
            unknownOptions.forEach(option -> text(out, option));
        });
    }

    public static ByteBuf parameterStatus(String name, String value) {
        return message('S', out -> {
            text(out, name);
            text(out, value);
        });
    }

    public static ByteBuf backendKey(int processId, int secret) {
        return message('K', out -> out.writeInt(processId).writeInt(secret));
    }

    public static ByteBuf ready(char status) {
        return message('Z', out -> out.writeByte(status));
    }

    public static ByteBuf commandComplete(String tag) {
        return message('C', out -> text(out, tag));
    }

    /** An answer without a body, such as ParseComplete. */
    public static ByteBuf plain(char type) {
        return bare(type);
    }

    public static ByteBuf parameterDescription(int count) {
        return message('t', out -> {
            out.writeShort(count);
            for (int i = 0; i < count; i++) {
                out.writeInt(TEXT_TYPE);
            }
        });
    }

    private static final int TEXT_TYPE = 25;
    private static final int INTEGER_TYPE = 23;

    /** One column, of integers or of text. */
    public static ByteBuf rowDescription(String column, boolean integer) {
        return message('T', out -> {
            out.writeShort(1);
            text(out, column);
            out.writeInt(0).writeShort(0);
            out.writeInt(integer ? INTEGER_TYPE : TEXT_TYPE).writeShort(integer ? 4 : -1);
            out.writeInt(-1).writeShort(0);
        });
    }

    /** One column, as text. */
    public static ByteBuf dataRow(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return message('D', out -> out.writeShort(1).writeInt(bytes.length).writeBytes(bytes));
    }

    /** An error or, with another type, a notice: fields by their letters. */
    static ByteBuf fields(char type, Map<Character, String> fields) {
        return message(type, out -> {
            fields.forEach((letter, value) -> {
                out.writeByte(letter);
                text(out, value);
            });
            out.writeByte(0);
        });
    }
}
