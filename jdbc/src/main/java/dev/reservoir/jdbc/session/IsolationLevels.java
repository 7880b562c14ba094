package dev.reservoir.jdbc.session;

import java.sql.Connection;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Parses and formats transaction isolation levels: their names in {@link Connection}, with or without the prefix, or
 * their numbers.
 */
public final class IsolationLevels {
    private static final String PREFIX = "TRANSACTION_";
    private static final Map<Integer, String> NAMES = new TreeMap<>(Map.of(
            Connection.TRANSACTION_READ_UNCOMMITTED, "READ_UNCOMMITTED",
            Connection.TRANSACTION_READ_COMMITTED, "READ_COMMITTED",
            Connection.TRANSACTION_REPEATABLE_READ, "REPEATABLE_READ",
            Connection.TRANSACTION_SERIALIZABLE, "SERIALIZABLE"));

    /** The texts that {@link #parse} accepts. */
    public static final String ALLOWED = String.join(", ", NAMES.values()) + ", each with or without " + PREFIX
            + " before it, or the number of a level, 1 or more";

    private IsolationLevels() {}

    /** Returns the number of a level, or null if the text is none. */
    public static @Nullable Integer parse(String text) {
        String word = text.strip().toUpperCase(Locale.ROOT);
        String name = word.startsWith(PREFIX) ? word.substring(PREFIX.length()) : word;
        for (Map.Entry<Integer, String> level : NAMES.entrySet()) {
            if (level.getValue().equals(name)) {
                return level.getKey();
            }
        }
        try {
            int number = Integer.parseInt(word);
            return number > 0 ? number : null;
        } catch (NumberFormatException notANumber) {
            return null;
        }
    }

    /** Formats a level in a form that {@link #parse} accepts. */
    public static String format(int level) {
        String name = NAMES.get(level);
        return name == null ? Integer.toString(level) : PREFIX + name;
    }
}
