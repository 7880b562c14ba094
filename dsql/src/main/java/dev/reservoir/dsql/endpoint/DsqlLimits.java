package dev.reservoir.dsql.endpoint;

import java.time.Duration;

/** Aurora DSQL's limits that matter for connecting, and the defaults for one process. */
public final class DsqlLimits {
    /** Age at which the server closes a connection. */
    public static final Duration CONNECTION_AGE_MAX = Duration.ofHours(1);

    /** Longest duration of a transaction. */
    public static final Duration TRANSACTION_MAX = Duration.ofMinutes(5);

    /** Default for how many connections one process opens per second: a tenth of the cluster's limit. */
    public static final double RATE_PER_SECOND_DEFAULT = 10;

    /** Default for how many connections one process opens at once: a tenth of the cluster's limit. */
    public static final int BURST_DEFAULT = 100;

    /** Default for how many connections one data source holds, in both modes. */
    public static final int MAX_OPEN_DEFAULT = 100;

    private DsqlLimits() {}
}
