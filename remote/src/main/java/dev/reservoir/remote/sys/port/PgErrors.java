package dev.reservoir.remote.sys.port;

import dev.reservoir.pgwire.PgError;
import dev.reservoir.remote.sql.StatementException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The errors of H2 and of the registry as PostgreSQL's clients expect them. */
final class PgErrors {
    /** H2 repeats the statement behind this. */
    private static final String STATEMENT = "; SQL statement:";

    private PgErrors() {}

    static PgError of(SQLException error) {
        String message = String.valueOf(error.getMessage());
        int end = message.indexOf(STATEMENT);
        PgError known = PgError.error(state(error.getSQLState()), end < 0 ? message : message.substring(0, end));
        return error instanceof StatementException statement
                ? known.at(statement.position().offset() + 1)
                : known;
    }

    /** H2 has states of its own for some errors that PostgreSQL knows. */
    private static String state(@Nullable String h2) {
        if (h2 == null || !h2.matches("[0-9A-Z]{5}")) {
            return "XX000";
        }
        return switch (h2) {
            case "42S02", "42S03", "42S04" -> "42P01";
            case "42S22" -> "42703";
            case "42000", "42001" -> "42601";
            case "90022" -> "42883";
            case "90040", "90096" -> "42501";
            case "90079" -> "3F000";
            default -> h2.startsWith("90") ? "XX000" : h2;
        };
    }
}
