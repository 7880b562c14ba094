package dev.reservoir.dsql.tx;

import java.util.Map;

/**
 * The view of transactions in JMX, as {@code dev.reservoir:type=Transactions,name=...}. Every value is current when it
 * is read. No method blocks.
 */
public interface TransactionsMXBean {
    /** Attempts that failed with a conflict or a changed schema. */
    long getConflicts();

    /** Attempts that were run again. */
    long getRetries();

    /** Transactions that ran out of retries or would have exceeded their deadline. */
    long getExhausted();

    /** All values, each under its metric name with labels. */
    Map<String, Double> getMetrics();
}
