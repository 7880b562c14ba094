package dev.reservoir.dsql.endpoint;

import java.time.Duration;

/** What Aurora DSQL allows, as far as it decides about connecting, and what one process takes of it unless it is told. */
public final class DsqlLimits {
    /** The server closes a connection at this age. */
    public static final Duration AGE = Duration.ofHours(1);

    /** The longest that a transaction may last. */
    public static final Duration TRANSACTION = Duration.ofMinutes(5);

    /** How fast one process opens connections unless it is told: a tenth of what the cluster takes. */
    public static final double RATE_PER_SECOND = 10;

    /** How many it opens at once: a tenth of what the cluster takes. */
    public static final int BURST = 100;

    /** How many connections one data source holds unless it is told, in both modes. */
    public static final int SIZE_DEFAULT = 100;

    private DsqlLimits() {}
}
