package dev.reservoir.dsql.tx;

import java.sql.SQLException;

/**
 * Reports that the connection or the server was lost while a transaction was being committed. The transaction may or
 * may not be committed; the caller must look for its changes to find out. It is not retried, because that could apply
 * the changes twice, unless the caller has declared the transaction idempotent. The SQLSTATE is 08007, transaction
 * resolution unknown.
 */
public final class IndeterminateCommitException extends SQLException {
    private static final long serialVersionUID = 1L;

    /** The SQLSTATE of this exception: transaction resolution unknown. */
    static final String STATE = "08007";

    private final String operation;

    IndeterminateCommitException(String operation, Throwable cause) {
        super(
                operation + ": it is unknown whether the transaction was committed (" + messages(cause)
                        + "). Before you run it again, check whether its changes are there. If running it twice does"
                        + " no harm, declare it idempotent().",
                STATE,
                cause);
        this.operation = operation;
    }

    /** Returns the messages of the cause and of its suppressed exceptions, such as one on the connection's age. */
    private static String messages(Throwable cause) {
        String all = String.valueOf(cause.getMessage());
        for (Throwable beside : cause.getSuppressed()) {
            all += "; " + beside.getMessage();
        }
        return all;
    }

    /** The operation's name. */
    public String operation() {
        return operation;
    }
}
