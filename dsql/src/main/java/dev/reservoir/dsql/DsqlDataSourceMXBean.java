package dev.reservoir.dsql;

import java.util.Map;

/**
 * What JMX shows of a DSQL data source, as {@code dev.reservoir:type=DsqlDataSource,name=...}. Every number is of the moment in which
 * it is read. No method blocks.
 */
public interface DsqlDataSourceMXBean {
    /** The cluster's host name. */
    String getEndpoint();

    /** Who it logs in as. */
    String getUser();

    /** {@code RESERVOIR} or {@code STANDARD}. */
    String getMode();

    /** Every number by the name that it has as a metric. */
    Map<String, Double> getMetrics();
}
