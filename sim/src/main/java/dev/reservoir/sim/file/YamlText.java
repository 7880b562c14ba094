package dev.reservoir.sim.file;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Builds YAML from entries whose values are already text. */
final class YamlText {
    private static final int LINE_MAX = 120;

    /** Text that every YAML reader takes for a string, except for the words of {@code NO_TEXT}. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]*");

    private static final Pattern NO_TEXT = Pattern.compile("(?i)y|n|yes|no|on|off|true|false|null|none");

    private final StringBuilder text = new StringBuilder();

    /** A string value, in quotes if it needs them. */
    static String string(String value) {
        if (PLAIN.matcher(value).matches() && !NO_TEXT.matcher(value).matches()) {
            return value;
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c == 0x7f || c == '\uFEFF') {
                quoted.append(String.format("\\u%04X", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    /** A map on one line. */
    static String inline(Map<String, String> map) {
        return map.entrySet().stream()
                .map(e -> e.getKey() + ": " + e.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }

    void blank() {
        if (text.length() > 0) {
            text.append('\n');
        }
    }

    void entries(Map<String, String> map) {
        map.forEach((key, value) -> line("", key + ": " + value));
    }

    void map(String key, Map<String, String> map) {
        line("", key + ":");
        map.forEach((k, value) -> line("  ", k + ": " + value));
    }

    /** A list of maps. A short map stands on one line. */
    void list(String key, List<Map<String, String>> maps) {
        line("", key + ":");
        for (Map<String, String> map : maps) {
            String inline = inline(map);
            if (inline.length() <= LINE_MAX) {
                line("  - ", inline);
                continue;
            }
            String indent = "  - ";
            for (Map.Entry<String, String> entry : map.entrySet()) {
                line(indent, entry.getKey() + ": " + entry.getValue());
                indent = "    ";
            }
        }
    }

    private void line(String indent, String content) {
        text.append(indent).append(content).append('\n');
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
