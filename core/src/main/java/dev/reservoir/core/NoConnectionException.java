package dev.reservoir.core;

import org.jspecify.annotations.Nullable;

/**
 * A checkout that ended without a connection. The message names the limit that was reached, the numbers, and who holds
 * connections longest. It is back-pressure, not a sign that connections are broken.
 */
public final class NoConnectionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Why why;

    /** Made by the engine. */
    public NoConnectionException(Why why, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.why = why;
    }

    /** What kind of limit ended the checkout. */
    public Why why() {
        return why;
    }

    /** The ways in which a checkout ends without a connection. */
    public enum Why {
        /** None came free by the deadline. */
        TIMEOUT,
        /** None was ready, and the policy is not to wait. */
        EMPTY,
        /** The queue of waiters is full. */
        QUEUE_FULL,
        /** No connection was ever opened: the server refuses the login, or the host or the database is unknown. */
        MISCONFIGURED,
        /** The reservoir is closed or closing. */
        CLOSED
    }
}
