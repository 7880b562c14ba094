package dev.reservoir.jdbc.session;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a session looked for names before a caller set the schema, and how to restore that.
 *
 * <p>In most databases that is one schema. {@link Connection#getSchema} returns it and {@link Connection#setSchema}
 * restores it. PostgreSQL and the databases that speak its protocol have a list instead, the {@code search_path}. There
 * {@code getSchema} returns only the first schema that exists, and {@code setSchema} sets a list of only one. So this
 * class reads the text of the list from the server and restores it with a {@code SET} statement.
 *
 * <p>The function {@code set_config} is not used. PostgreSQL's driver drops its prepared statements only when it sees a
 * {@code SET} of the {@code search_path}. It must drop them, because their tables and columns may be others afterwards.
 */
final class SchemaReset {
    private static final String LIST_NAME = "search_path";

    private final @Nullable String name;

    /** The schemas of the {@code search_path}, or null if the database has one schema. */
    private final @Nullable List<String> path;

    private SchemaReset(@Nullable String name, @Nullable List<String> path) {
        this.name = name;
        this.path = path;
    }

    /** Reads the current state of the session. Costs a round trip if the driver does not know it. */
    static SchemaReset of(Connection raw) throws SQLException {
        return hasSearchPath(raw)
                ? new SchemaReset(null, split(searchPath(raw)))
                : new SchemaReset(raw.getSchema(), null);
    }

    /** Decides by the product name of the database, which drivers that wrap another driver pass on. */
    private static boolean hasSearchPath(Connection raw) throws SQLException {
        if (raw.getClass().getName().startsWith("org.postgresql.")) {
            return true;
        }
        var metaData = raw.getMetaData();
        return metaData != null && "PostgreSQL".equalsIgnoreCase(metaData.getDatabaseProductName());
    }

    private static String searchPath(Connection raw) throws SQLException {
        try (Statement s = raw.createStatement();
                ResultSet r = s.executeQuery("show " + LIST_NAME)) {
            String text = r.next() ? r.getString(1) : null;
            return text == null ? "" : text;
        }
    }

    /** Whether {@link Connection#setSchema} with this value sets exactly this state. */
    boolean isSetBy(@Nullable String value) {
        return value != null && (path == null ? value.equals(name) : path.equals(List.of(value)));
    }

    void restore(Connection raw) throws SQLException {
        if (path == null) {
            raw.setSchema(name);
            return;
        }
        try (Statement s = raw.createStatement()) {
            s.execute("SET SESSION " + LIST_NAME + " TO " + literals(path));
        }
    }

    /** An empty list is written as one empty name, which matches no schema either. */
    private static String literals(List<String> names) {
        List<String> literals = new ArrayList<>();
        for (String name : names.isEmpty() ? List.of("") : names) {
            String quoted = name.replace("'", "''");
            literals.add(quoted.indexOf('\\') < 0 ? "'" + quoted + "'" : "E'" + quoted.replace("\\", "\\\\") + "'");
        }
        return String.join(", ", literals);
    }

    /**
     * Splits a list as PostgreSQL does. Names are separated by commas, with optional white space around them. They are
     * converted to lower case unless they are in double quotes. Within quotes, two double quotes stand for one.
     */
    static List<String> split(String text) {
        List<String> names = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            StringBuilder name = new StringBuilder();
            boolean isQuoted = false;
            boolean inQuotes = false;
            for (; at < text.length() && (inQuotes || text.charAt(at) != ','); at++) {
                char c = text.charAt(at);
                if (c == '"') {
                    boolean isDoubled = inQuotes && at + 1 < text.length() && text.charAt(at + 1) == '"';
                    if (isDoubled) {
                        name.append('"');
                        at++;
                    } else {
                        inQuotes = !inQuotes;
                        isQuoted = true;
                    }
                } else if (inQuotes) {
                    name.append(c);
                } else if (!Character.isWhitespace(c)) {
                    name.append(c >= 'A' && c <= 'Z' ? (char) (c + 'a' - 'A') : c);
                }
            }
            at++;
            if (isQuoted || name.length() > 0) {
                names.add(name.toString());
            }
        }
        return names;
    }
}
