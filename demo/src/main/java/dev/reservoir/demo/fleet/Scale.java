package dev.reservoir.demo.fleet;

import dev.reservoir.emulator.Limits;
import java.time.Duration;

/**
 * The sizes of the demo. Aurora DSQL's limits are scaled down so that a laptop reaches them, and the fleet fits into
 * them. Both sides have the same sizes.
 */
public final class Scale {
    public static final int SERVICES = 3;

    public static final int CONNECTIONS = 15;

    /** Limit on new connections per second. DSQL's limit is 100. */
    public static final double RATE_PER_SECOND = 5;

    /** Limit on connects at once. DSQL's limit is 1,000. */
    public static final int BURST = 10;

    /**
     * Burst in the reservoirs' settings. It is a little below the limit, because connects that start one after the
     * other may arrive together.
     */
    static final int RESERVOIR_BURST = 8;

    /**
     * Limit on open connections. DSQL's limit is 10,000. It leaves room for the fleet and its successors, but not for
     * the connections of a dead service as well.
     */
    public static final int MAX_OPEN = 60;

    /** Age at which the server closes a connection. DSQL's limit is one hour. */
    public static final Duration MAX_AGE = Duration.ofSeconds(75);

    public static final Limits LIMITS = Limits.dsql()
            .withRatePerSecond(RATE_PER_SECOND)
            .withBurst(BURST)
            .withMaxOpen(MAX_OPEN)
            .withMaxAge(MAX_AGE);

    /** Duration of each statement. It stands for the network and for a database that spans several sites. */
    static final Duration STATEMENT = Duration.ofMillis(40);

    /** Shortest duration of each connect. It stands for TLS and the check of the token. */
    static final Duration CONNECT = Duration.ofMillis(80);

    static final Duration LIFETIME = Duration.ofSeconds(60);
    static final Duration LIFETIME_JITTER = Duration.ofSeconds(16);
    static final Duration GUARD = Duration.ofSeconds(3);
    static final Duration TRANSACTION = Duration.ofSeconds(5);

    /**
     * Most connects of one service that wait for a permit at once. Services that lost all connections then share the
     * permits evenly.
     */
    static final int OPENS_AT_ONCE = 3;

    /** Idle connections that HikariCP keeps. The samples of AWS keep 5 of 20. */
    static final int HIKARI_MINIMUM_IDLE = 4;

    /** Lifetime of HikariCP's connections. The samples of AWS use 55 of 60 minutes. */
    static final Duration HIKARI_LIFETIME = MAX_AGE.multipliedBy(55).dividedBy(60);

    /** Time after which the leases of a dead service are reclaimed. */
    static final Duration LEASE_TIME = Duration.ofSeconds(15);

    /**
     * Number of shards per service. Each start and each completion of a workflow locks the row of its shard, and two
     * that lock one row at the same time conflict. With this many shards a conflict is rare, so that the latency shows
     * the effect of the pools. Temporal's smallest clusters have 512 shards.
     */
    static final int SHARDS_PER_SERVICE = 64;

    public static final double WORKFLOWS_PER_SECOND = 4;
    static final int WORKERS = 14;

    /** The region in the tokens. The demo never calls AWS. */
    static final String REGION = "us-east-1";

    /** Describes the comparison in a few sentences. */
    public static final String ABOUT = "Two fleets of " + SERVICES + " services run the same load: up to " + CONNECTIONS
            + " connections for each service, and " + (int) (SERVICES * WORKFLOWS_PER_SECOND)
            + " workflows a second for each fleet. Each fleet has its own emulated DSQL cluster with the same limits: "
            + (int) RATE_PER_SECOND + " new connections a second, " + BURST + " at once, " + MAX_OPEN
            + " open, none older than " + MAX_AGE.toSeconds() + " s.";

    private Scale() {}

    public static String serviceName(int index) {
        return "history-" + (index + 1);
    }
}
