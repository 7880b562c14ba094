package dev.reservoir.flightsql;

import org.apache.arrow.flight.FlightStatusCode;
import org.jspecify.annotations.Nullable;

/**
 * A call failed on a connection. The message holds the server's words, which may quote the statement. The pool adds no
 * SQL text and no credential. A call that got no connection at all fails with
 * {@link dev.reservoir.core.NoConnectionException} instead.
 */
public final class FlightSqlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final @Nullable FlightStatusCode status;

    /** Created by the pool. */
    public FlightSqlException(Kind kind, @Nullable FlightStatusCode status, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.status = status;
    }

    /** The kind of failure. */
    public Kind kind() {
        return kind;
    }

    /** The status that the server or gRPC reported, or null if there was none. */
    public @Nullable FlightStatusCode status() {
        return status;
    }

    /** The kinds of failure, by what a caller can do about them. */
    public enum Kind {
        /** The server refused or failed the statement. The connection is not affected. */
        SQL,
        /** The call's deadline passed. The statement may have run. */
        TIMEOUT,
        /** The caller cancelled the call, or its thread was interrupted. The statement may have run. */
        CANCELLED,
        /** The connection broke during the call. The statement may have run. */
        CONNECTION_LOST,
        /**
         * The session's connection is gone, and with it the transaction, the prepared statements and the temporary
         * tables. The statement was not sent.
         */
        SESSION_LOST,
        /** The result does not have the shape that the caller asked for. */
        MAPPING
    }
}
