package dev.reservoir.sim.scenario;

import dev.reservoir.core.RefillPacing;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a simulation is asked. Valid by construction where it was made by {@link ScenarioReader}; immutable.
 *
 * @param name what the report calls it: the file's name without its ending
 * @param seed where all randomness begins
 * @param endpoint the cluster's name, shown and otherwise unused
 * @param duration how long to simulate
 * @param sampleEvery how often the numbers are written down
 * @param limiter the fleet's own rate limit on connects
 * @param coordinator who counts permits and connections for the whole fleet
 * @param database what the database allows and how it behaves
 * @param tokens the credentials that connects need
 * @param services the fleet
 * @param faults what goes wrong, and what is changed on purpose, by time
 * @param expected what is to hold
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
        Expected expected) {

    /** Where processes get the right to connect. */
    public enum Sharing {
        /** One bucket for the fleet, kept by the coordinator. */
        SHARED,
        /** Each process has a bucket of its own, with the whole rate, and knows nothing of the others. */
        LOCAL,
        /** Nothing limits the processes; the database refuses what is too much. */
        NONE
    }

    /**
     * The fleet's own rate limit on connects.
     *
     * @param perSecond connects a second
     * @param burst how many at once after a rest, at least 1
     * @param sharing who shares it
     */
    public record Limiter(double perSecond, int burst, Sharing sharing) {}

    /** What processes do while the coordinator is away. */
    public enum WhenAway {
        /** Each opens at the rate divided by the number of processes. */
        LOCAL_SHARE,
        /** None opens anything. */
        STOP
    }

    /**
     * Who counts for the whole fleet.
     *
     * @param latency how long an answer takes
     * @param leaseLimit how many connections the fleet may hold, by leases; 0 for no leases
     * @param leaseTime within which the leases of a process that has died are taken back
     * @param whenAway what processes do without it
     * @param clockSkew by how much the clock of a process is off at most
     * @param loseAnswers which share of its answers get lost, although what was asked has been done, from 0 to 0.5
     * @param conflicts which share of the transactions on it meet another one and are not done, from 0 to 0.5
     */
    public record Coordinator(
            Latency latency,
            int leaseLimit,
            Duration leaseTime,
            WhenAway whenAway,
            Duration clockSkew,
            double loseAnswers,
            double conflicts) {

        /** One of which nothing gets lost, and processes whose clocks are right. */
        public Coordinator(Latency latency, int leaseLimit, Duration leaseTime, WhenAway whenAway) {
            this(latency, leaseLimit, leaseTime, whenAway, Duration.ZERO, 0, 0);
        }

        /** The same with another limit on leases. */
        public Coordinator withLeaseLimit(int value) {
            return new Coordinator(latency, value, leaseTime, whenAway, clockSkew, loseAnswers, conflicts);
        }
    }

    /**
     * What the database allows and how it behaves. Zero means no limit.
     *
     * @param ratePerSecond connects a second, more are refused with 53400
     * @param burst how many at once after a rest, beyond the rate
     * @param cap open connections, more are refused with 53300
     * @param maxAge how old a connection may grow before the database cuts it
     * @param handshake how long a connect takes
     * @param close how long a close takes
     * @param crashNotice after how long the connections of a process that died are gone
     */
    public record Database(
            double ratePerSecond,
            int burst,
            int cap,
            Duration maxAge,
            Latency handshake,
            Latency close,
            Duration crashNotice) {}

    /**
     * The credentials that connects need. Each process fetches its own and uses it until it ends.
     *
     * @param lifetime how long a token is good for; zero for credentials that never end
     * @param renewBefore how long before its end a new one is fetched
     * @param fetch how long fetching one takes
     */
    public record Tokens(Duration lifetime, Duration renewBefore, Latency fetch) {}

    /**
     * One service of the fleet: processes that are alike.
     *
     * @param name unique in the fleet
     * @param instances how many processes
     * @param pool each process's pool
     * @param startDelay when the first process starts
     * @param instanceDelay how much later each further process starts
     * @param workload what each process does with its connections
     */
    public record Service(
            String name, int instances, Pool pool, Duration startDelay, Duration instanceDelay, Workload workload) {

        /** Connections that all processes together are to have ready. */
        public int target() {
            return instances * pool.targetReady();
        }
    }

    /**
     * Each process's pool.
     *
     * @param targetReady connections to keep ready
     * @param maxOpen connections at most
     * @param lowWatermark below it, connects are urgent
     * @param guardWindow the last stretch of a lifetime, in which a connection is not lent any more
     * @param shortestLifetime the shortest lifetime; scenario files call it {@code baseLifetime}, as the Go simulator does
     * @param jitter lifetimes are spread evenly over this much more
     * @param connectTimeout after which a connect is given up
     * @param opensInFlightMax connects under way at most
     * @param successorAllowance connections beyond the maximum while successors take over; -1 for a tenth
     * @param keepalive how long a connection may be unused before it is proven; zero for never
     * @param refillPacing how fast connections are opened that nobody needs yet
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
            RefillPacing refillPacing) {

        /** What the engine calls the base: the middle of all lifetimes. */
        public Duration baseLifetime() {
            return shortestLifetime.plus(jitter.dividedBy(2));
        }

        public Duration longestLifetime() {
            return shortestLifetime.plus(jitter);
        }
    }

    /** How a process's checkouts come. */
    public enum Arrival {
        /** None come. */
        NONE,
        /** So many are in use at most; what is missing is started, a few each tick. */
        CLOSED,
        /** At a rate, independently of each other. */
        POISSON,
        /** At a rate, evenly spaced. */
        EVEN,
        /** Many at once, now and then. */
        BURSTS,
        /** As they were recorded. */
        RECORDED
    }

    /**
     * What one process does with its connections. Begins when its pool first has its target, and runs to the end.
     *
     * @param arrival how checkouts come
     * @param maxInUse closed: how many are in use at most
     * @param spawnEvery closed: how often missing ones are started
     * @param arrivalBurst closed: how many are started at once at most
     * @param ratePerSecond poisson and even: checkouts a second
     * @param burstEvery bursts: how often
     * @param burstSize bursts: how many at once
     * @param recorded recorded: the times since the beginning, in order, in nanoseconds
     * @param hold how long a connection is held
     * @param maxWait how long a checkout waits at most
     * @param conflicts the share of transactions that end in a conflict and are done again, from 0 to 1
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
            double conflicts) {}

    /** What can go wrong, or be changed on purpose. */
    public enum FaultKind {
        /** The database loses a share of its connections. */
        DROP,
        /** Processes are restarted in order: they close their pool and start anew. */
        RESTART,
        /** Processes die: nothing is closed or given back by them. They start anew after a while, or never. */
        CRASH,
        /** Processes stand still and go on. */
        HANG,
        /** A service is changed to another number of processes. */
        SCALE,
        /** The coordinator does not answer. */
        COORDINATOR_OUTAGE,
        /** No new tokens are to be had. */
        TOKEN_OUTAGE,
        /** A share of the connects hangs. */
        HUNG_CONNECTS,
        /** The database drops everything and refuses every connect. */
        DATABASE_OUTAGE,
        /** Connects take longer. */
        SLOW_CONNECTS,
        /** The coordinator answers reads, and refuses every write as one too many. */
        WRITES_THROTTLED
    }

    /**
     * One thing that goes wrong or is changed on purpose.
     *
     * @param at when
     * @param kind what
     * @param services whom it hits, by name; empty for all
     * @param fraction drop, crash, hang, hung connects: which share of the connections, processes or connects, from 0 to 1
     * @param lasts outages, throttled writes, hang, hung and slow connects: how long; crash: how long until the processes are back, zero for never
     * @param every restart: how much later the next service, or the next process, follows
     * @param byService restart: whether all processes of a service restart together
     * @param instances scale: the new number of processes of each service
     * @param handshake slow connects: how long they take
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
            @Nullable Latency handshake) {}

    /**
     * What is to hold. What is null is not asked.
     *
     * @param maxConnectsPerSec connects begun in any whole second, over the fleet
     * @param convergeWithin by when every service has its target
     * @param stableFor for how long it must keep it then
     * @param maxClosurePerSec connections closed in any whole second, over the fleet
     * @param zeroEmptyEvents whether no checkout may find its pool empty
     * @param maxWaitP999 the 99.9th percentile of all checkouts' waits
     * @param maxWait the longest wait of a checkout
     * @param maxTimeouts checkouts that ended without a connection
     * @param minUsableShare the smallest share of the target that may be usable at any sample after a service first had its target
     * @param maxRefusedConnects connects that the database refused
     * @param maxOpenConnections connections open at once, as the database counts
     * @param leasesMatchConnections whether leases and connections must go together at the end
     * @param promisesKept whether every promise of the engine is to be checked after every event
     */
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
            boolean promisesKept) {}

    /** The same under another name. */
    public Scenario withName(String value) {
        return new Scenario(
                value,
                seed,
                endpoint,
                duration,
                sampleEvery,
                limiter,
                coordinator,
                database,
                tokens,
                services,
                faults,
                expected);
    }

    /** The same with another seed. */
    public Scenario withSeed(long value) {
        return new Scenario(
                name,
                value,
                endpoint,
                duration,
                sampleEvery,
                limiter,
                coordinator,
                database,
                tokens,
                services,
                faults,
                expected);
    }

    /** The same with another duration. What was to happen after its end does not. */
    public Scenario withDuration(Duration value) {
        return new Scenario(
                name,
                seed,
                endpoint,
                value,
                sampleEvery,
                limiter,
                coordinator,
                database,
                tokens,
                services,
                faults,
                expected);
    }

    /** The same with another fleet, to which other things happen. */
    public Scenario withFleet(List<Service> ofServices, List<Fault> withFaults) {
        return new Scenario(
                name,
                seed,
                endpoint,
                duration,
                sampleEvery,
                limiter,
                coordinator,
                database,
                tokens,
                List.copyOf(ofServices),
                List.copyOf(withFaults),
                expected);
    }

    /** The same fleet in other surroundings. */
    public Scenario within(Limiter ofLimiter, Coordinator ofCoordinator, Database ofDatabase, Tokens ofTokens) {
        return new Scenario(
                name,
                seed,
                endpoint,
                duration,
                sampleEvery,
                ofLimiter,
                ofCoordinator,
                ofDatabase,
                ofTokens,
                services,
                faults,
                expected);
    }

    /** The same with other expectations. */
    public Scenario expecting(Expected value) {
        return new Scenario(
                name,
                seed,
                endpoint,
                duration,
                sampleEvery,
                limiter,
                coordinator,
                database,
                tokens,
                services,
                faults,
                value);
    }
}
