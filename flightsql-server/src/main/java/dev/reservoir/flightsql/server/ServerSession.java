package dev.reservoir.flightsql.server;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.apache.arrow.flight.CallStatus;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * One session: a DuckDB connection behind a lock, its prepared statements and its transaction. The lock is a semaphore,
 * because the thread that finishes a stream may not be the one that began it.
 */
final class ServerSession {
    final String peer;
    final DuckDBConnection connection;
    final Semaphore lock = new Semaphore(1, true);
    final Map<String, Prepared> prepared = new ConcurrentHashMap<>();
    volatile long usedNanos = System.nanoTime();
    volatile @Nullable String transaction;

    ServerSession(String peer, DuckDBConnection connection) {
        this.peer = peer;
        this.connection = connection;
    }

    /** Refuses a transaction that is not the session's. */
    void checkTransaction(String given) {
        if (!given.isEmpty() && !given.equals(transaction)) {
            throw CallStatus.INVALID_ARGUMENT
                    .withDescription("unknown transaction")
                    .toRuntimeException();
        }
    }

    void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // DuckDB closes what it can, and the session is gone in any case.
        }
    }

    /** A statement that a client prepared, with the parameters that it bound last. */
    static final class Prepared {
        final String sql;
        final PreparedStatement statement;
        volatile List<List<@Nullable Object>> rows = List.of();

        Prepared(String sql, PreparedStatement statement) {
            this.sql = sql;
            this.statement = statement;
        }
    }
}
