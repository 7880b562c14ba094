package dev.reservoir.core;

import org.jspecify.annotations.Nullable;

/**
 * A checkout that ended without a connection. The message names the limit that was reached, the numbers, the connection that has
 * been in use longest, and what can be done. It is back-pressure, not a sign that connections are broken.
 *
 * <p>If failed connects are what stopped the checkout, the cause is the last of these failures, and the driver's own exception is
 * among the causes of that. A checkout that was stopped by something else has no cause.
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
