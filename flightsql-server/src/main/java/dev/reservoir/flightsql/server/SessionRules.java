package dev.reservoir.flightsql.server;

import java.time.Duration;

/**
 * How the server treats sessions. A session is one TCP peer and has one DuckDB connection behind a lock, so its
 * statements run one after the other.
 *
 * @param sessionsMax how many sessions there may be; one more is refused with RESOURCE_EXHAUSTED
 * @param idleExpiry how long a session without calls is kept; zero ends a session with its TCP connection
 * @param cancel how a client can stop a statement
 * @param stopsWithStream whether a statement stops when the client cancels the call that runs it
 * @param transactions whether the server has Flight SQL's transactions
 */
public record SessionRules(
        int sessionsMax, Duration idleExpiry, CancelSupport cancel, boolean stopsWithStream, boolean transactions) {

    /** A server that can do everything: sessions end with their connection, and statements can be cancelled. */
    public static SessionRules cooperative() {
        return new SessionRules(1_000, Duration.ZERO, CancelSupport.FLIGHT_INFO, true, true);
    }

    /** The rules of SwanLake: 100 sessions, which outlive their TCP connection, and no cancel. */
    public static SessionRules swanLake() {
        return new SessionRules(100, Duration.ofMinutes(15), CancelSupport.NONE_INVALID_ARGUMENT, false, true);
    }

    public SessionRules withSessionsMax(int value) {
        return new SessionRules(value, idleExpiry, cancel, stopsWithStream, transactions);
    }

    public SessionRules withIdleExpiry(Duration value) {
        return new SessionRules(sessionsMax, value, cancel, stopsWithStream, transactions);
    }

    public SessionRules withCancel(CancelSupport value) {
        return new SessionRules(sessionsMax, idleExpiry, value, stopsWithStream, transactions);
    }

    public SessionRules withStopsWithStream(boolean value) {
        return new SessionRules(sessionsMax, idleExpiry, cancel, value, transactions);
    }

    public SessionRules withTransactions(boolean value) {
        return new SessionRules(sessionsMax, idleExpiry, cancel, stopsWithStream, value);
    }
}
