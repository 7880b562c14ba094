package dev.reservoir.pgwire;

/**
 * Answers the statements of one session. The server calls it from one thread at a time, not always from the same one,
 * and it may block. A cancel request of the client, and the end of the session, interrupt the thread that runs a call.
 * {@link #close()} comes last.
 *
 * <p>A method throws {@link PgException} with the error that the client gets. Any other exception is logged, and the
 * client gets an internal error without its text. An {@link InterruptedException} tells the client that its statement
 * was cancelled.
 */
public interface QueryHandler extends AutoCloseable {

    /**
     * Prepares one statement, whatever it is: a query, {@code BEGIN}, {@code SET}, {@code DISCARD ALL}. Never runs it.
     * The server splits texts with several statements.
     */
    PreparedQuery prepare(String sql) throws InterruptedException;

    /** The status of the transaction after the statements so far. Returns at once. */
    default TransactionStatus transactionStatus() {
        return TransactionStatus.IDLE;
    }

    /** The session has ended. */
    @Override
    default void close() {}

    @FunctionalInterface
    interface Factory {

        /** Creates the handler of a new session, or throws {@link PgException} to refuse the client. May block. */
        QueryHandler open(ClientInfo client) throws InterruptedException;
    }
}
