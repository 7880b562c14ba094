package dev.reservoir.jdbc.connect;

import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a connection whether it still works, by {@link Connection#isValid} or by a query. Blocks while it asks. Never
 * closes a connection.
 */
public final class ValidationQuery {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    private final @Nullable String query;
    private final EventDispatcher lines;
    private final AtomicBoolean complained = new AtomicBoolean();

    public ValidationQuery(@Nullable String query, EventDispatcher lines) {
        this.query = query;
        this.lines = lines;
    }

    /**
     * Whether the connection answers. If auto-commit is off, it rolls back before and after the question: before,
     * because a server answers even in an aborted transaction; after, so that the question leaves no transaction open.
     * A driver that is older than {@code isValid} cannot be asked, and counts as working.
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
        } catch (LinkageError e) {
            if (complained.compareAndSet(false, true)) {
                lines.run(() -> log.warn(
                        "Reservoir: the driver has no isValid, connections are not validated; set validationQuery"
                                + "  driver_class={}",
                        raw.getClass().getName()));
            }
            return true;
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
