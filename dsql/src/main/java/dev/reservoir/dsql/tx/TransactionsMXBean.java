package dev.reservoir.dsql.tx;

import java.util.Map;

/**
 * What JMX shows of transactions, as {@code dev.reservoir:type=Transactions,name=...}. Every number is of the moment in which it
 * is read. No method blocks.
 */
public interface TransactionsMXBean {
    /** Attempts that met a conflict or a changed schema. */
    long getConflicts();

    /** Attempts that were run again. */
    long getRetries();

    /** Transactions that failed as often as they may be tried. */
    long getExhausted();

    /** Every number by the name that it has as a metric, with its labels. */
    Map<String, Double> getMetrics();
}
