package dev.reservoir.emulator.internal.wire;

import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An error of the PostgreSQL protocol: its fields by their letters. Immutable. */
public final class Problem {
    private final Map<Character, String> fields;

    private Problem(Map<Character, String> fields) {
        this.fields = fields;
    }

    /** An error after which the connection stays open. */
    public static Problem error(String code, String message) {
        return of("ERROR", code, message);
    }

    /** An error after which the connection is closed. */
    public static Problem fatal(String code, String message) {
        return of("FATAL", code, message);
    }

    private static Problem of(String severity, String code, String message) {
        Map<Character, String> fields = new LinkedHashMap<>();
        fields.put('S', severity);
        fields.put('V', severity);
        fields.put('C', code);
        fields.put('M', message);
        return new Problem(fields);
    }

    /** Reads a whole ErrorResponse and does not move its reader index. */
    public static Problem read(ByteBuf frame) {
        ByteBuf body = Wire.body(frame);
        Map<Character, String> fields = new LinkedHashMap<>();
        while (body.isReadable()) {
            char letter = (char) body.readUnsignedByte();
            if (letter == 0) {
                break;
            }
            fields.put(letter, Wire.text(body));
        }
        return new Problem(fields);
    }

    public Problem withHint(String hint) {
        return with('H', hint);
    }

    /** The same error with its position moved by this many characters. */
    public Problem shifted(int characters) {
        String position = fields.get('P');
        return position == null || characters == 0
                ? this
                : with('P', Integer.toString(Integer.parseInt(position) + characters));
    }

    /** The same error without the context, which would show how the emulator runs the statement. */
    public Problem withoutContext() {
        Map<Character, String> changed = new LinkedHashMap<>(fields);
        changed.keySet().removeAll(Set.of('W', 'q', 'p', 'P'));
        return new Problem(changed);
    }

    private Problem with(char letter, String value) {
        Map<Character, String> changed = new LinkedHashMap<>(fields);
        changed.put(letter, value);
        return new Problem(changed);
    }

    public String code() {
        return fields.getOrDefault('C', "XX000");
    }

    public String message() {
        return fields.getOrDefault('M', "");
    }

    public @Nullable String hint() {
        return fields.get('H');
    }

    public ByteBuf encode() {
        return Wire.fields('E', fields);
    }

    @Override
    public String toString() {
        return code() + " " + message();
    }
}
