package dev.reservoir.pgwire.message;

import static dev.reservoir.pgwire.message.Frames.bare;
import static dev.reservoir.pgwire.message.Frames.frame;
import static dev.reservoir.pgwire.message.Frames.writeText;

import dev.reservoir.pgwire.Column;
import dev.reservoir.pgwire.PgError;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** Writes the messages that a server sends. Never keeps a buffer. */
public final class ServerMessages {
    /** The format in which every value is readable text. */
    public static final int TEXT_FORMAT = 0;

    private ServerMessages() {}

    /** The answer to a request for encryption: {@code S} to go on with TLS, {@code N} to go on without. */
    public static ByteBuf encryptionAnswer(char answer) {
        return Unpooled.buffer(1).writeByte(answer);
    }

    public static ByteBuf authenticationOk() {
        return frame('R', out -> out.writeInt(0));
    }

    public static ByteBuf cleartextPassword() {
        return frame('R', out -> out.writeInt(3));
    }

    /** Asks for an authentication by SASL with this mechanism. */
    public static ByteBuf sasl(String mechanism) {
        return frame('R', out -> {
            out.writeInt(10);
            writeText(out, mechanism);
            out.writeByte(0);
        });
    }

    public static ByteBuf saslContinue(String data) {
        return frame('R', out -> out.writeInt(11).writeCharSequence(data, StandardCharsets.UTF_8));
    }

    public static ByteBuf saslFinal(String data) {
        return frame('R', out -> out.writeInt(12).writeCharSequence(data, StandardCharsets.UTF_8));
    }

    /** Says that the server speaks only protocol 3.0 and does not know these options. */
    public static ByteBuf negotiateProtocol(List<String> unknownOptions) {
        return frame('v', out -> {
            out.writeInt(ClientMessages.PROTOCOL_3).writeInt(unknownOptions.size());
            unknownOptions.forEach(option -> writeText(out, option));
        });
    }

    /**
     * The messages between AuthenticationOk and the first ReadyForQuery: the parameters that drivers expect, and the
     * key for cancel requests.
     */
    public static List<ByteBuf> greeting(String serverVersion, int processId, int secret) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("server_version", serverVersion);
        parameters.put("server_encoding", "UTF8");
        parameters.put("client_encoding", "UTF8");
        parameters.put("DateStyle", "ISO, MDY");
        parameters.put("TimeZone", "UTC");
        parameters.put("integer_datetimes", "on");
        parameters.put("standard_conforming_strings", "on");
        List<ByteBuf> messages = new ArrayList<>();
        parameters.forEach((name, value) -> messages.add(parameterStatus(name, value)));
        messages.add(frame('K', out -> out.writeInt(processId).writeInt(secret)));
        return messages;
    }

    public static ByteBuf parameterStatus(String name, String value) {
        return frame('S', out -> {
            writeText(out, name);
            writeText(out, value);
        });
    }

    /** ReadyForQuery with the transaction's status: idle (I), in a transaction (T), or failed (E). */
    public static ByteBuf ready(char status) {
        return frame('Z', out -> out.writeByte(status));
    }

    public static ByteBuf parseComplete() {
        return bare('1');
    }

    public static ByteBuf bindComplete() {
        return bare('2');
    }

    public static ByteBuf closeComplete() {
        return bare('3');
    }

    public static ByteBuf noData() {
        return bare('n');
    }

    public static ByteBuf emptyQuery() {
        return bare('I');
    }

    public static ByteBuf portalSuspended() {
        return bare('s');
    }

    public static ByteBuf commandComplete(String tag) {
        return frame('C', out -> writeText(out, tag));
    }

    /** The parameters of a statement, by the object ids of their types. */
    public static ByteBuf parameterDescription(List<Integer> typeOids) {
        return frame('t', out -> {
            out.writeShort(typeOids.size());
            typeOids.forEach(out::writeInt);
        });
    }

    /** The columns of a result. {@code formats} gives the format of the column at an index. */
    public static ByteBuf rowDescription(List<Column> columns, IntUnaryOperator formats) {
        return frame('T', out -> {
            out.writeShort(columns.size());
            for (int i = 0; i < columns.size(); i++) {
                Column column = columns.get(i);
                writeText(out, column.name());
                // No table and no column number; no type modifier.
                out.writeInt(0).writeShort(0);
                out.writeInt(column.type().oid()).writeShort(column.type().bytes());
                out.writeInt(-1).writeShort(formats.applyAsInt(i));
            }
        });
    }

    /** A row of values, each in the format that the description of the row names. */
    public static ByteBuf dataRow(List<byte @Nullable []> values) {
        return frame('D', out -> {
            out.writeShort(values.size());
            for (byte[] value : values) {
                if (value == null) {
                    out.writeInt(-1);
                } else {
                    out.writeInt(value.length).writeBytes(value);
                }
            }
        });
    }

    public static ByteBuf error(PgError error) {
        return frame('E', out -> {
            error.fields().forEach((letter, value) -> {
                out.writeByte(letter);
                writeText(out, value);
            });
            out.writeByte(0);
        });
    }
}
