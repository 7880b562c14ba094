package dev.reservoir.dsql.tx;

import dev.reservoir.dsql.error.DsqlError;

/**
 * Receives the outcomes of transactions, for metrics, logs and tests. The thread that runs the transaction calls it
 * while it holds no connection. A method that blocks delays the transaction. An exception from a method is logged and
 * otherwise ignored.
 */
public interface TransactionListener {

    /** Called for every failed attempt, whether or not it is retried. */
    default void failed(String operation, int attempt, DsqlError error, Throwable cause) {}

    /** Called before the pause that precedes a retry. The number of the first failed attempt is 1. */
    default void retrying(String operation, int attempt, long backoffNanos) {}

    /** Called when the transaction has used all of its retries or would exceed its deadline. */
    default void exhausted(String operation, int attempts) {}

    /** Called when the transaction has ended, committed or not. The elapsed time includes the pauses. */
    default void ended(String operation, boolean committed, long elapsedNanos) {}
}
