package dev.reservoir.sim.scenario;

import dev.reservoir.core.RefillPacing;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The complete input of a simulation. Immutable. A scenario that was read from a file is always valid. The rows of
 * {@link ScenarioKeys} say what each value of its parts means.
 *
 * @param name the name in reports: the name of the file without its extension
 * @param seed the seed of all randomness
 * @param endpoint the name of the cluster, which is only displayed
 * @param duration the simulated time
 * @param sampleEvery the interval between samples
 * @param limiter the fleet's own rate limit on connects
 * @param coordinator the service that counts permits and connections for the whole fleet
 * @param database the limits and the behaviour of the database
 * @param tokens the credentials for connects
 * @param services the services of the fleet
 * @param faults the faults and planned changes, by time
 * @param expected the expectations
 */
public record Scenario(
        String name,
        long seed,
        String endpoint,
        Duration duration,
        Duration sampleEvery,
        Limiter limiter,
        Coordinator coordinator,
        Database database,
        Tokens tokens,
        List<Service> services,
        List<Fault> faults,
        Expected expected)
        implements ScenarioPart<Scenario> {
    /** Longest simulated time. */
    public static final Duration DURATION_MAX = Duration.ofDays(30);

    /** Largest number of samples of all services together. All samples of a run are kept in memory. */
    public static final long SAMPLES_MAX = 2_000_000;

    /** Largest number of processes of all services together. */
    public static final int PROCESSES_MAX = 100_000;

    /** Largest number of connections of all processes together. */
    public static final int CONNECTIONS_MAX = 10_000_000;

    /** The source of a process's permits. */
    public enum Sharing {
        /** The coordinator keeps one bucket for the fleet. */
        SHARED,
        /** Each process has a bucket of its own with the whole rate, and ignores the others. */
        LOCAL,
        /** Nothing limits the processes. The database refuses excess connects. */
        NONE
    }

    /** The fleet's own rate limit on connects. */
    public record Limiter(double perSecond, int burst, Sharing sharing) implements ScenarioPart<Limiter> {}

    /** The behaviour of processes while the coordinator is away. */
    public enum WhenAway {
        /** Each process opens connections at the rate divided by the number of processes. */
        LOCAL_SHARE,
        /** No process opens a connection. */
        STOP
    }

    /** The service that counts permits and connections for the whole fleet. */
    public record Coordinator(
            Latency latency,
            int leaseLimit,
            Duration leaseTime,
            WhenAway whenAway,
            Duration clockSkew,
            double loseAnswers,
            double conflicts)
            implements ScenarioPart<Coordinator> {}

    /** The limits and the behaviour of the database. Zero means no limit. */
    public record Database(
            double ratePerSecond,
            int burst,
            int cap,
            Duration maxAge,
            Latency handshake,
            Latency close,
            Duration crashNotice,
            Duration closedHeldFor)
            implements ScenarioPart<Database> {}

    /** The credentials for connects. Each process fetches its own token and uses it until it expires. */
    public record Tokens(Duration lifetime, Duration renewBefore, Latency fetch) implements ScenarioPart<Tokens> {}

    /**
     * One service of the fleet: a group of identical processes.
     *
     * @param name the name, unique in the fleet
     * @param instances the number of processes
     * @param pool the pool of each process
     * @param startDelay the time at which the first process starts
     * @param instanceDelay the delay between the starts of two processes
     * @param workload the use that each process makes of its connections
     */
    public record Service(
            String name, int instances, Pool pool, Duration startDelay, Duration instanceDelay, Workload workload)
            implements ScenarioPart<Service> {

        /** The number of connections that all processes together should have ready. */
        public int target() {
            return instances * pool.targetReady();
        }
    }

    /**
     * The pool of each process.
     *
     * @param shortestLifetime scenario files call it {@code baseLifetime}, as the Go simulator does
     */
    public record Pool(
            int targetReady,
            int maxOpen,
            int lowWatermark,
            Duration guardWindow,
            Duration shortestLifetime,
            Duration jitter,
            Duration connectTimeout,
            int opensInFlightMax,
            int successorAllowance,
            Duration keepalive,
            RefillPacing refillPacing)
            implements ScenarioPart<Pool> {

        /** The engine's base lifetime: the middle between the shortest and the longest lifetime. */
        public Duration baseLifetime() {
            return shortestLifetime.plus(jitter.dividedBy(2));
        }

        public Duration longestLifetime() {
            return shortestLifetime.plus(jitter);
        }
    }

    /** The pattern in which the checkouts of a process arrive. */
    public enum Arrival {
        /** No checkouts arrive. */
        NONE,
        /** At most {@code maxInUse} units of work run. At each tick, some of the missing ones start. */
        CLOSED,
        /** Checkouts arrive at a rate, independently of each other. */
        POISSON,
        /** Checkouts arrive at a rate, evenly spaced. */
        EVEN,
        /** Many checkouts arrive at once, at regular intervals. */
        BURSTS,
        /** Checkouts arrive at recorded times. */
        RECORDED
    }

    /**
     * The use that one process makes of its connections. It begins when the process's pool first has its target, and
     * lasts to the end.
     *
     * @param recorded the times of recorded arrivals since the beginning of the workload, in order, in nanoseconds
     */
    public record Workload(
            Arrival arrival,
            int maxInUse,
            Duration spawnEvery,
            int arrivalBurst,
            double ratePerSecond,
            Duration burstEvery,
            int burstSize,
            List<Long> recorded,
            Latency hold,
            Duration maxWait,
            double conflicts)
            implements ScenarioPart<Workload> {
        @Override
        public Arrival variant() {
            return arrival;
        }
    }

    /** A fault or a planned change. */
    public enum FaultKind {
        /** The database loses a share of its connections. */
        DROP,
        /** Processes restart in order: they close their pool and start again. */
        RESTART,
        /** Processes die without closing or releasing anything. They start again after a while, or never. */
        CRASH,
        /** Processes hang for a while and then continue. */
        HANG,
        /** A service changes to another number of processes. */
        SCALE,
        /** The coordinator does not answer. */
        COORDINATOR_OUTAGE,
        /** Processes cannot get new tokens. */
        TOKEN_OUTAGE,
        /** A share of the connects hangs. */
        HUNG_CONNECTS,
        /** The database drops all connections and refuses every connect. */
        DATABASE_OUTAGE,
        /** Connects take longer. */
        SLOW_CONNECTS,
        /** The coordinator answers reads and throttles every write. */
        WRITES_THROTTLED
    }

    /**
     * One fault or planned change.
     *
     * @param services the names of the services that it hits; empty for all
     * @param lasts how long it lasts; scenario files call it {@code for}
     */
    public record Fault(
            Duration at,
            FaultKind kind,
            List<String> services,
            double fraction,
            Duration lasts,
            Duration every,
            boolean byService,
            int instances,
            @Nullable Latency handshake)
            implements ScenarioPart<Fault> {
        @Override
        public FaultKind variant() {
            return kind;
        }
    }

    /** The faults of the Go simulator, one of which a file can have under the key {@code scenario}. */
    public enum GoScenario {
        COLD_START,
        ROLLING_RESTART,
        MASS_DROP
    }

    /** The expectations of a scenario. A null component is not checked. */
    public record Expected(
            @Nullable Integer maxConnectsPerSec,
            @Nullable Duration convergeWithin,
            @Nullable Duration stableFor,
            @Nullable Integer maxClosurePerSec,
            boolean zeroEmptyEvents,
            @Nullable Duration maxWaitP999,
            @Nullable Duration maxWait,
            @Nullable Long maxTimeouts,
            @Nullable Double minUsableShare,
            @Nullable Long maxRefusedConnects,
            @Nullable Integer maxOpenConnections,
            boolean leasesMatchConnections,
            boolean promisesKept)
            implements ScenarioPart<Expected> {}

    /** A copy with another name. */
    public Scenario withName(String value) {
        return with(ScenarioKeys.NAME, value);
    }

    /** A copy with another seed. */
    public Scenario withSeed(long value) {
        return with(ScenarioKeys.SEED, value);
    }

    /** A copy with another duration. Faults after the new end do not happen. */
    public Scenario withDuration(Duration value) {
        return with(ScenarioKeys.DURATION, value);
    }
}
