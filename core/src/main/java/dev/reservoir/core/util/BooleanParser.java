package dev.reservoir.core.util;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Reads yes and no as Go writes them: {@code true}, {@code t}, {@code 1} and so on. No method blocks. */
public final class BooleanParser {
    /** Longest part of a value that a warning shows. */
    private static final int SHOWN_MAX = 64;

    private BooleanParser() {}

    /** Reads a yes or a no, with or without space around it; null if the text is neither. */
    public static @Nullable Boolean parse(String text) {
        return switch (text.strip()) {
            case "1", "t", "T", "true", "TRUE", "True" -> Boolean.TRUE;
            case "0", "f", "F", "false", "FALSE", "False" -> Boolean.FALSE;
            default -> null;
        };
    }

    /**
     * Whether the environment switches something on. A variable that is missing or empty is off. One that is neither yes nor
     * no is off as well, and a warning names it, its value and what is allowed.
     *
     * @param log where the warning goes
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
