package dev.reservoir.dynamodb;

import java.util.Map;

/**
 * What JMX shows of a cluster budget, as {@code dev.reservoir:type=ClusterBudget,endpoint=...}. Every number is of the moment in
 * which it is read. No method blocks.
 */
public interface ClusterBudgetMXBean {
    /** The cluster. */
    String getEndpoint();

    /** By what id this process is known to the others; empty before it has joined. */
    String getMember();

    /** How many processes share the budget, as last seen; 0 if that is not known. */
    int getMembers();

    /** Whether DynamoDB does not answer. */
    boolean isAway();

    /** By how much this machine's clock is ahead of DynamoDB's, at least; negative if it is behind. */
    long getClockOffMillis();

    /** Every number by the name that it has as a metric. */
    Map<String, Double> getMetrics();
}
