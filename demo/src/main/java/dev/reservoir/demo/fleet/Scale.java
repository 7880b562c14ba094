package dev.reservoir.demo.fleet;

import dev.reservoir.emulator.Limits;
import java.time.Duration;

/**
 * The sizes of the demo: Aurora DSQL's limits made so small that a laptop reaches them, and a fleet that fits into them. Both sides have the
 * same of everything.
 */
public final class Scale {
    public static final int SERVICES = 3;

    /** Of each service, at most. */
    public static final int CONNECTIONS = 15;

    /** DSQL has 100 a second. */
    public static final double RATE_PER_SECOND = 5;

    /** DSQL has 1,000. */
    public static final int BURST = 10;

    /** What the reservoirs are told: a little less, since connects that set out one after the other may arrive together. */
    static final int BURST_TOLD = 8;

    /** DSQL has 10,000. Room for the fleet and for its successors, and not for a service that died as well. */
    public static final int MAX_OPEN = 60;

    /** DSQL has an hour. */
    public static final Duration MAX_AGE = Duration.ofSeconds(75);

    public static final Limits LIMITS = Limits.dsql()
            .withRatePerSecond(RATE_PER_SECOND)
            .withBurst(BURST)
            .withMaxOpen(MAX_OPEN)
            .withMaxAge(MAX_AGE);

    /** Each statement takes so long, as it would over a network and in a database that spans several sites. */
    static final Duration STATEMENT = Duration.ofMillis(40);

    /** Each connect takes so long at least: TLS, and the check of a token. */
    static final Duration CONNECT = Duration.ofMillis(80);

    static final Duration LIFETIME = Duration.ofSeconds(60);
    static final Duration LIFETIME_JITTER = Duration.ofSeconds(16);
    static final Duration GUARD = Duration.ofSeconds(3);
    static final Duration TRANSACTION = Duration.ofSeconds(5);

    /** So many connects of a service wait for their turn at once, so that services that lost everything take turns. */
    static final int OPENS_AT_ONCE = 3;

    /** AWS's samples have 5 of 20. */
    static final int HIKARI_MINIMUM_IDLE = 4;

    /** AWS's samples have 55 of 60 minutes. */
    static final Duration HIKARI_LIFETIME = MAX_AGE.multipliedBy(55).dividedBy(60);

    /** After which the leases of a service that died are taken back. */
    static final Duration LEASE_TIME = Duration.ofSeconds(15);

    /**
     * Each start and each completion of a workflow locks its shard's row, and two that lock one row at the same time conflict. With this
     * many shards that is rare, so that latency shows what the pools do. Temporal's smallest clusters have 512.
     */
    static final int SHARDS_OF_EACH = 64;

    public static final double WORKFLOWS_PER_SECOND = 4;
    static final int WORKERS = 14;

    /** The region that tokens name. Nobody there is ever called. */
    static final String REGION = "us-east-1";

    private Scale() {}

    public static String serviceName(int index) {
        return "history-" + (index + 1);
    }
}
