package dev.reservoir.core.util;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Parses booleans as Go writes them: {@code true}, {@code t}, {@code 1} and so on. No method blocks. */
public final class BooleanParser {
    /** Bounds how much of a value a warning shows, so that the warning stays readable. */
    private static final int SHOWN_MAX = 64;

    private BooleanParser() {}

    /** Parses a boolean, with or without space around it. Returns null if the text is none. */
    public static @Nullable Boolean parse(String text) {
        return switch (text.strip()) {
            case "1", "t", "T", "true", "TRUE", "True" -> Boolean.TRUE;
            case "0", "f", "F", "false", "FALSE", "False" -> Boolean.FALSE;
            default -> null;
        };
    }

    /**
     * Whether an environment variable switches something on. A missing or empty variable is off. A variable that is not
     * a boolean is off as well, and a warning names it, its value and the allowed values.
     *
     * @param log receives the warning
     */
    public static boolean isOn(Map<String, String> variables, String variable, Logger log) {
        String text = variables.getOrDefault(variable, "");
        Boolean value = parse(text);
        if (value == null && !text.isBlank()) {
            log.warn(
                    "Reservoir: environment variable counts as false  key={} value=\"{}\" allowed=\"true or false\"",
                    variable,
                    shown(text));
        }
        return Boolean.TRUE.equals(value);
    }

    private static String shown(String text) {
        String line = text.strip().replaceAll("\\s+", " ").replace('"', '\'');
        return line.length() <= SHOWN_MAX ? line : line.substring(0, SHOWN_MAX) + "...";
    }
}
