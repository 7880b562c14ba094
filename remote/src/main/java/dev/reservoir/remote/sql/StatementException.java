package dev.reservoir.remote.sql;

import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;

/** An error at a place in a text of SQL. Its message names line and column. */
public final class StatementException extends RemoteException {
    private static final long serialVersionUID = 1L;

    private final transient SourcePosition position;

    private StatementException(RemoteErrorCode code, SourcePosition position, String message, RemoteException cause) {
        super(code, message, cause, cause.isRetryable());
        this.position = position;
    }

    StatementException(SourcePosition position, String message) {
        super(RemoteErrorCode.SYNTAX_ERROR, position + ": " + message);
        this.position = position;
    }

    /** The same error with the place in the text that caused it. */
    static StatementException at(SourcePosition position, RemoteException cause) {
        return cause instanceof StatementException known
                ? known
                : new StatementException(cause.code(), position, position + ": " + cause.detail(), cause);
    }

    /** The same error with the name of the file. */
    StatementException in(String file) {
        return new StatementException(code(), position, file + ", " + detail(), this);
    }

    public SourcePosition position() {
        return position;
    }
}
