package dev.reservoir.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Asks a connection whether it still works: by {@link Connection#isValid}, or by a query. Blocks while it asks. */
final class Proof {
    private final @Nullable String query;

    Proof(@Nullable String query) {
        this.query = query;
    }

    /**
     * Whether it answers. Where auto-commit is off it rolls back before, since a server in an aborted transaction answers
     * even so, and afterwards, so that the question leaves no transaction open.
     */
    boolean works(Connection raw, long timeoutNanos) {
        // Zero would mean to wait for ever.
        int seconds = (int) Math.max(1, TimeUnit.NANOSECONDS.toSeconds(timeoutNanos + 999_999_999L));
        try {
            boolean manual = !raw.getAutoCommit();
            if (manual) {
                raw.rollback();
            }
            boolean works = query == null ? raw.isValid(seconds) : answers(raw, query, seconds);
            if (works && manual) {
                raw.rollback();
            }
            return works;
        } catch (SQLException | RuntimeException e) {
            return false;
        }
    }

    private static boolean answers(Connection raw, String query, int seconds) throws SQLException {
        try (Statement statement = raw.createStatement()) {
            statement.setQueryTimeout(seconds);
            statement.execute(query);
            return true;
        }
    }
}
