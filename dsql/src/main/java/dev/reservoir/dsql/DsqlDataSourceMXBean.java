package dev.reservoir.dsql;

import java.util.Map;

/**
 * The view of a DSQL data source in JMX, as {@code dev.reservoir:type=DsqlDataSource,name=...}. Every value is current
 * when it is read. No method blocks.
 */
public interface DsqlDataSourceMXBean {
    /** The cluster's host name. */
    String getEndpoint();

    /** The user that connections log in as. */
    String getUser();

    /** The mode: {@code RESERVOIR} or {@code STANDARD}. */
    String getMode();

    /** All values, each under its metric name. */
    Map<String, Double> getMetrics();
}
