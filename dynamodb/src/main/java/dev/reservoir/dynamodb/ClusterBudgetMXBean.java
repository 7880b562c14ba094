package dev.reservoir.dynamodb;

import java.util.Map;

/** The JMX view of a budget, {@code dev.reservoir:type=ClusterBudget,endpoint=...}. Values are current; none blocks. */
public interface ClusterBudgetMXBean {
    /** The cluster. */
    String getEndpoint();

    /** The id of this process among the members; empty before it has joined. */
    String getMember();

    /** The number of processes that share the budget, as last seen; 0 if it is not known. */
    int getMembers();

    /** Whether DynamoDB does not answer. */
    boolean isAway();

    /** How far this machine's clock is ahead of DynamoDB's clock, at least; negative if it is behind. */
    long getClockOffMillis();

    /** Every number, by its metric name. */
    Map<String, Double> getMetrics();
}
