package dev.reservoir.pgwire.message;

import static dev.reservoir.pgwire.message.Frames.bare;
import static dev.reservoir.pgwire.message.Frames.frame;
import static dev.reservoir.pgwire.message.Frames.writeText;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Writes the messages that a client sends. Never keeps a buffer. */
public final class ClientMessages {
    public static final int SSL_REQUEST = 80877103;
    public static final int GSS_REQUEST = 80877104;
    public static final int CANCEL_REQUEST = 80877102;
    public static final int PROTOCOL_3 = 3 << 16;

    private ClientMessages() {}

    public static ByteBuf startup(Map<String, String> parameters) {
        ByteBuf out = Unpooled.buffer(256);
        out.writeInt(0).writeInt(PROTOCOL_3);
        parameters.forEach((name, value) -> {
            writeText(out, name);
            writeText(out, value);
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
        return frame('p', out -> writeText(out, password));
    }

    public static ByteBuf saslInitial(String mechanism, String data) {
        byte[] bytes = data.getBytes(StandardCharsets.UTF_8);
        return frame('p', out -> {
            writeText(out, mechanism);
            out.writeInt(bytes.length).writeBytes(bytes);
        });
    }

    public static ByteBuf saslResponse(String data) {
        return frame('p', out -> out.writeCharSequence(data, StandardCharsets.UTF_8));
    }

    /**
     * A Parse message. {@code types} is the part after the SQL in the client's own message: the types of the
     * parameters.
     */
    public static ByteBuf parse(String name, String sql, ByteBuf types) {
        return frame('P', out -> {
            writeText(out, name);
            writeText(out, sql);
            out.writeBytes(types, types.readerIndex(), types.readableBytes());
        });
    }

    public static ByteBuf parse(String name, String sql) {
        return parse(name, sql, Unpooled.wrappedBuffer(noTypes()));
    }

    /** The part after the SQL in a Parse that names no types. */
    public static byte[] noTypes() {
        return new byte[2];
    }

    public static ByteBuf bind(String portal, String statement) {
        return bind(portal, statement, noValues());
    }

    /** A Bind message. {@code values} is the part after the two names: formats and parameters. */
    public static ByteBuf bind(String portal, String statement, byte[] values) {
        return frame('B', out -> {
            writeText(out, portal);
            writeText(out, statement);
            out.writeBytes(values);
        });
    }

    /** The part after the names in a Bind without parameters: no formats, no values. */
    public static byte[] noValues() {
        return new byte[6];
    }

    public static ByteBuf describePortal(String portal) {
        return named('D', 'P', portal);
    }

    public static ByteBuf execute(String portal) {
        return execute(portal, 0);
    }

    /** An Execute message for at most this many rows; 0 means all. */
    public static ByteBuf execute(String portal, int rows) {
        return frame('E', out -> {
            writeText(out, portal);
            out.writeInt(rows);
        });
    }

    public static ByteBuf query(String sql) {
        return frame('Q', out -> writeText(out, sql));
    }

    public static ByteBuf closePortal(String name) {
        return named('C', 'P', name);
    }

    public static ByteBuf closeStatement(String name) {
        return named('C', 'S', name);
    }

    /** A message about a portal (P) or a statement (S). */
    private static ByteBuf named(char type, char kind, String name) {
        return frame(type, out -> {
            out.writeByte(kind);
            writeText(out, name);
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
}
