package dev.reservoir.core;

import org.jspecify.annotations.Nullable;

/**
 * Reports a checkout that ended without a connection. The message names the limit that was reached, the numbers, the
 * connection that has been in use longest, and what can be done. The exception signals back-pressure. It does not mean
 * that connections are broken.
 *
 * <p>If failed connects stopped the checkout, the cause is the last of these failures. The driver's own exception is
 * among the causes of that failure. A checkout that ended for another reason has no cause.
 */
public final class NoConnectionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Why why;

    /** Created by the engine. */
    public NoConnectionException(Why why, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.why = why;
    }

    /** The kind of limit that ended the checkout. */
    public Why why() {
        return why;
    }

    /** The ways in which a checkout ends without a connection. */
    public enum Why {
        /** No connection became free before the deadline. */
        TIMEOUT,
        /** No connection was ready, and the policy is not to wait. */
        EMPTY,
        /** The wait queue is full. */
        QUEUE_FULL,
        /** No connection was ever opened: the server refuses the login, or the host or the database is unknown. */
        MISCONFIGURED,
        /** The reservoir is closed or closing. */
        CLOSED
    }
}
