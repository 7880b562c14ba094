package dev.reservoir.jdbc.session;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a session looked for names before a caller set the schema, and the way back.
 *
 * <p>In most databases that is one schema, which {@link Connection#getSchema} tells and {@link Connection#setSchema} restores.
 * PostgreSQL and the databases that speak its protocol have a list, the {@code search_path}, of which {@code getSchema} tells only
 * the first schema that exists, and of which {@code setSchema} leaves only one. Its text is read from the server and restored by
 * a {@code SET} statement of its own: {@code set_config} would do as well, but PostgreSQL's driver forgets its prepared statements,
 * whose tables and columns may be others now, only when it sees a {@code SET} of the {@code search_path}.
 */
final class SchemaReset {
    private static final String LIST_NAME = "search_path";

    private final @Nullable String name;

    /** The schemas of the {@code search_path}; null if the database has one schema. */
    private final @Nullable List<String> path;

    private SchemaReset(@Nullable String name, @Nullable List<String> path) {
        this.name = name;
        this.path = path;
    }

    /** What the session has now. Costs a round trip where the driver does not know. */
    static SchemaReset of(Connection raw) throws SQLException {
        return hasSearchPath(raw)
                ? new SchemaReset(null, split(searchPath(raw)))
                : new SchemaReset(raw.getSchema(), null);
    }

    /** By the name that the driver gives the database, which drivers that wrap another driver pass on. */
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

    /** Whether {@link Connection#setSchema} with this value sets exactly this. */
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

    /** An empty list is written as one empty name, which finds nothing either. */
    private static String literals(List<String> names) {
        List<String> literals = new ArrayList<>();
        for (String name : names.isEmpty() ? List.of("") : names) {
            String quoted = name.replace("'", "''");
            literals.add(quoted.indexOf('\\') < 0 ? "'" + quoted + "'" : "E'" + quoted.replace("\\", "\\\\") + "'");
        }
        return String.join(", ", literals);
    }

    /**
     * The names in a list as PostgreSQL reads it: separated by commas, with blanks around them, in lower case unless they stand in
     * double quotes, in which two of them stand for one.
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
