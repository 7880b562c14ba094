package dev.reservoir.dsql.tx;

import java.util.Map;

/** The JMX view of transactions, {@code dev.reservoir:type=Transactions,name=...}. Values are current. Never blocks. */
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
