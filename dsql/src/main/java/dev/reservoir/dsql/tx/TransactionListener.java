package dev.reservoir.dsql.tx;

import dev.reservoir.dsql.error.DsqlError;

/**
 * Hears what becomes of transactions: for metrics, logs and tests. Called on the thread that runs the transaction, which holds no
 * connection meanwhile. A method that blocks makes the transaction wait; one that throws is ignored.
 */
public interface TransactionListener {

    /** An attempt failed. Called for every failed attempt, whether it is retried or not. */
    default void failed(String operation, int attempt, DsqlError error, Throwable cause) {}

    /** It will be run again, after this pause. The first failed attempt is number 1. */
    default void retrying(String operation, int attempt, long backoffNanos) {}

    /** It has failed as often as it may be tried. */
    default void exhausted(String operation, int attempts) {}

    /** It is over, committed or not, so long after it was asked for, waits included. */
    default void ended(String operation, boolean committed, long elapsedNanos) {}
}
