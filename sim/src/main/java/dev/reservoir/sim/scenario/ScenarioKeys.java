package dev.reservoir.sim.scenario;

import static dev.reservoir.sim.scenario.ValueType.YEAR;
import static dev.reservoir.sim.scenario.ValueType.ZERO;
import static dev.reservoir.sim.scenario.ValueType.choice;
import static dev.reservoir.sim.scenario.ValueType.duration;
import static dev.reservoir.sim.scenario.ValueType.number;
import static dev.reservoir.sim.scenario.ValueType.positiveDuration;
import static dev.reservoir.sim.scenario.ValueType.text;
import static dev.reservoir.sim.scenario.ValueType.whole;
import static dev.reservoir.sim.scenario.ValueType.wholeLong;
import static dev.reservoir.sim.scenario.ValueType.yesNo;

import dev.reservoir.core.RefillPacing;
import dev.reservoir.core.Targets;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Coordinator;
import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.GoScenario;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import dev.reservoir.sim.scenario.Scenario.Tokens;
import dev.reservoir.sim.scenario.Scenario.WhenAway;
import dev.reservoir.sim.scenario.Scenario.Workload;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The table of all keys of a scenario file. The reader, the writer, sweeps, the fuzzer and the tables of
 * docs/scenarios.md all follow from it. A key that is not stored ({@code component} null) decides about other
 * components when a file is read.
 */
public final class ScenarioKeys {
    public static final Section TOP = new Section("at the top");

    public static final Section SERVICE = new Section("in a service");
    public static final Section WORKLOAD = new Section("in a workload");
    public static final Section DATABASE = new Section("in database");
    public static final Section COORDINATOR = new Section("in coordinator");
    public static final Section TOKENS = new Section("in tokens");
    public static final Section GO_SCENARIO = new Section("in scenario");
    public static final Section FAULT = new Section("in a fault");

    /** All sections that have a table in the documentation, in the order in which a misplaced key is looked up. */
    public static final List<Section> SECTIONS =
            List.of(TOP, SERVICE, WORKLOAD, DATABASE, COORDINATOR, TOKENS, GO_SCENARIO, FAULT);

    /** A latency that is a map. It has no table of its own. */
    public static final Section LATENCY = new Section("in a latency");

    /**
     * Lowest rate. Below it, the share of one process among many would need a wait for a permit that does not fit in a
     * number of nanoseconds.
     */
    private static final double RATE_LEAST = 0.001;

    private static final double RATE_MOST = 1_000_000;
    private static final int BURST_MOST = 1_000_000;
    private static final int COUNT_MOST = 10_000_000;
    private static final int INSTANCES_MOST = 10_000;
    private static final int IN_USE_MOST = 1_000_000;
    private static final Duration MILLI = Duration.ofMillis(1);

    /** Largest share of lost answers or conflicts. Beyond it, almost no request succeeds. */
    private static final double TROUBLE_MOST = 0.5;

    /** Longest hold time and hold jitter. Their sum stays within the longest latency. */
    private static final Duration HOLD_MOST = Latency.MOST.dividedBy(2);

    // The top.

    /** The name of the scenario, which is the name of its file. */
    public static final Component<Scenario, String> NAME = new Component<>(Scenario.class, "name");

    public static final Key<Scenario, Long> SEED = TOP.key(
                    Scenario.class, "seed", wholeLong(Long.MIN_VALUE, Long.MAX_VALUE))
            .otherwise(42L)
            .means("the seed of all random numbers; the same file and seed give the same result everywhere");
    public static final Key<Scenario, String> ENDPOINT = TOP.key(Scenario.class, "endpoint", text(1_000))
            .otherwise("cluster.dsql.eu-west-1.on.aws")
            .allowed("a text")
            .means("shown, but not used otherwise");
    public static final Key<Scenario, Duration> DURATION = TOP.key(
                    Scenario.class, "duration", duration(ValueType.TINY, Scenario.DURATION_MAX))
            .otherwise(Duration.ofMinutes(20))
            .means("how long to simulate");
    public static final Key<Scenario, Duration> SAMPLE_EVERY = TOP.key(
                    Scenario.class, "sampleEvery", duration(MILLI, YEAR))
            .otherwise(Duration.ofSeconds(1))
            .allowed(String.format(
                    Locale.ROOT,
                    "1ms to `duration`; at most %,d samples of all services together",
                    Scenario.SAMPLES_MAX))
            .means("how often a sample is written");
    public static final Component<Scenario, Limiter> LIMITER = new Component<>(Scenario.class, "limiter");
    public static final Key<Limiter, Double> LIMITER_PER_SEC = TOP.key(
                    Limiter.class, "limiterPerSec", "perSecond", number(RATE_LEAST, RATE_MOST))
            .otherwise(100.0)
            .sweep("rate", "connects a second, limiter and database", ScenarioChanges::rateOfDatabase)
            .means("connects a second that the fleet limits itself to");
    public static final Key<Limiter, Integer> BURST = TOP.key(Limiter.class, "burst", whole(1, BURST_MOST))
            .otherwise(1)
            .simplest(1)
            .means("connects at once after a quiet time");
    public static final Key<Limiter, Sharing> PERMITS = TOP.key(
                    Limiter.class, "permits", "sharing", choice(Sharing.values()))
            .otherwise(Sharing.SHARED)
            .simplest(Sharing.SHARED)
            .means("who shares that limit. `shared`: the fleet, through the coordinator. `local`: each process alone,"
                    + " with the whole rate. `none`: there is no limit, and the database refuses the excess");
    public static final Key<Scenario, Coordinator> SCENARIO_COORDINATOR = TOP.<Scenario, Coordinator>structure(
                    Scenario.class, "coordinator", "coordinator")
            .holds(COORDINATOR)
            .means("[the counts of the fleet](#coordinator)");
    public static final Key<Scenario, Database> SCENARIO_DATABASE = TOP.<Scenario, Database>structure(
                    Scenario.class, "database", "database")
            .holds(DATABASE)
            .means("[what the database allows](#database)");
    public static final Key<Scenario, Tokens> SCENARIO_TOKENS = TOP.<Scenario, Tokens>structure(
                    Scenario.class, "tokens", "tokens")
            .holds(TOKENS)
            .means("[the credentials that connects need](#tokens)");
    public static final Key<Scenario, List<Service>> SERVICES = TOP.<Scenario, List<Service>>structure(
                    Scenario.class, "services", "services")
            .otherwise(List.of())
            .documentedDefault("required")
            .allowed("a list of 1 to 1,000 maps")
            .means(String.format(
                    Locale.ROOT,
                    "[the fleet](#services); at most %,d processes and %,d connections",
                    Scenario.PROCESSES_MAX,
                    Scenario.CONNECTIONS_MAX));
    public static final Key<Scenario, Service> DEFAULTS = TOP.<Scenario, Service>structure(
                    Scenario.class, "defaults", null)
            .means("[the defaults of every service](#defaults)");
    public static final Key<Scenario, List<Fault>> FAULTS = TOP.<Scenario, List<Fault>>structure(
                    Scenario.class, "faults", "faults")
            .otherwise(List.of())
            .allowed("a list of maps")
            .means("[the faults](#faults)");
    public static final Key<Scenario, Fault> SCENARIO = TOP.<Scenario, Fault>structure(Scenario.class, "scenario", null)
            .means("[Go's form](#scenario) of one fault");

    // The expectations, which also stand at the top.

    public static final Component<Scenario, Expected> EXPECTED = new Component<>(Scenario.class, "expected");
    public static final Key<Expected, Duration> CONVERGE_WITHIN = TOP.key(
                    Expected.class, "assertConvergeWithin", "convergeWithin", positiveDuration())
            .otherwise(Duration.ofSeconds(60))
            .orNone()
            .means("every service has its target within this time");
    public static final Key<Expected, Duration> STABLE_FOR = TOP.key(
                    Expected.class, "assertStableFor", "stableFor", duration(ZERO, YEAR))
            .otherwise(
                    "5s; `none` if `assertConvergeWithin` is",
                    values -> values.isNone(CONVERGE_WITHIN) ? null : Duration.ofSeconds(5))
            .orNone()
            .means("every service then keeps its target for this time. Without `assertConvergeWithin` this is a verdict"
                    + " of its own: at any time, for this long without a gap");
    public static final Key<Expected, Integer> MAX_CONNECTS_PER_SEC = TOP.key(
                    Expected.class, "assertMaxConnectsPerSec", "maxConnectsPerSec", whole(0, Integer.MAX_VALUE))
            .otherwise(
                    "`limiterPerSec` + `burst` - 1",
                    values -> ScenarioChanges.mostConnectsInASecond(values.build(Limiter.class)))
            .orNone()
            .means("connects begun in any whole second, over the fleet");
    public static final Key<Expected, Integer> MAX_CLOSURE_PER_SEC = TOP.key(
                    Expected.class, "assertMaxClosurePerSec", "maxClosurePerSec", whole(0, Integer.MAX_VALUE))
            .otherwise(200)
            .orNone()
            .means("connections that end in any whole second, over the fleet");
    public static final Key<Expected, Boolean> ZERO_EMPTY_EVENTS = TOP.key(
                    Expected.class, "assertZeroEmptyEvents", "zeroEmptyEvents", yesNo())
            .otherwise(false)
            .means("no checkout finds its pool empty");
    public static final Key<Expected, Duration> MAX_WAIT_P999 = TOP.key(
                    Expected.class, "assertMaxWaitP999", "maxWaitP999", duration(ZERO, YEAR))
            .orNone()
            .means("99.9th percentile of the waits of all checkouts, including those that did not wait");
    public static final Key<Expected, Duration> MAX_WAIT = TOP.key(
                    Expected.class, "assertMaxWait", "maxWait", duration(ZERO, YEAR))
            .orNone()
            .means("the longest wait of a checkout");
    public static final Key<Expected, Long> MAX_TIMEOUTS = TOP.key(
                    Expected.class, "assertMaxTimeouts", "maxTimeouts", wholeLong(0, Long.MAX_VALUE))
            .orNone()
            .means("checkouts that ended without a connection");
    public static final Key<Expected, Double> MIN_USABLE_SHARE = TOP.key(
                    Expected.class, "assertMinUsableShare", "minUsableShare", number(0, 1))
            .orNone()
            .means("the smallest share of a service's target that was usable at any moment; a process counts from the"
                    + " moment at which it first had its target");
    public static final Key<Expected, Long> MAX_REFUSED_CONNECTS = TOP.key(
                    Expected.class, "assertMaxRefusedConnects", "maxRefusedConnects", wholeLong(0, Long.MAX_VALUE))
            .orNone()
            .means("connects that the database refused, because of their rate or their number");
    public static final Key<Expected, Integer> MAX_OPEN_CONNECTIONS = TOP.key(
                    Expected.class, "assertMaxOpenConnections", "maxOpenConnections", whole(0, Integer.MAX_VALUE))
            .orNone()
            .means("connections open at once, as the database counts");
    public static final Key<Expected, Boolean> LEASES_MATCH_CONNECTIONS = TOP.key(
                    Expected.class, "assertLeasesMatchConnections", "leasesMatchConnections", yesNo())
            .otherwise(false)
            .means("at every sample, the count of leases is the sum of all shares, and not above the limit. At the end,"
                    + " every process has as many leases in use as connections, and processes that died longer than"
                    + " `leaseTime` ago have none left. Needs a `leaseLimit`");
    public static final Key<Expected, Boolean> PROMISES_KEPT = TOP.key(
                    Expected.class, "assertPromisesKept", "promisesKept", yesNo())
            .otherwise(false)
            .means("the simulator checks every [promise](promises.md) of the engine after every event. It also checks"
                    + " the count, the shares and the limit of the cluster budget. As long as the coordinator answers,"
                    + " it also checks that connects keep to rate and burst, and leases in use to the share. This is"
                    + " slower");

    // The coordinator.

    public static final Key<Coordinator, Latency> COORDINATOR_LATENCY = COORDINATOR
            .key(Coordinator.class, "latency", ValueType.LATENCY)
            .otherwise(Latency.fixed(ZERO))
            .simplest(Latency.fixed(ZERO))
            .means("how long a call takes, there and back; after 5 s a process gives the call up");
    public static final Key<Coordinator, Integer> LEASE_LIMIT = COORDINATOR
            .key(Coordinator.class, "leaseLimit", whole(0, COUNT_MOST))
            .otherwise(0)
            .simplest(0)
            .means("how many connections the fleet may hold, by leases. 0: there are no leases");
    public static final Key<Coordinator, Duration> LEASE_TIME = COORDINATOR
            // The limits of the cluster budget.
            .key(Coordinator.class, "leaseTime", duration(Duration.ofSeconds(3), Duration.ofHours(1)))
            .otherwise(Duration.ofSeconds(60))
            .means("the time within which others take back the leases of a process that has died");
    public static final Key<Coordinator, WhenAway> WHEN_AWAY = COORDINATOR
            .key(Coordinator.class, "whenAway", choice(WhenAway.values()))
            .otherwise(WhenAway.LOCAL_SHARE)
            .means("what a process does while the coordinator does not answer. `local-share`: it continues at the rate"
                    + " divided by the number of processes it saw last, with the leases it has and its part of four"
                    + " fifths of those that were free. `stop`: it opens nothing");
    public static final Key<Coordinator, Duration> CLOCK_SKEW = COORDINATOR
            .key(Coordinator.class, "clockSkew", duration(ZERO, Duration.ofHours(24)))
            .otherwise(ZERO)
            .simplest(ZERO)
            .means("the most by which the clock of a process is off, ahead or behind; drawn for each process");
    public static final Key<Coordinator, Double> LOSE_ANSWERS = COORDINATOR
            .key(Coordinator.class, "loseAnswers", number(0, TROUBLE_MOST))
            .otherwise(0.0)
            .simplest(0.0)
            .means("the share of answers that get lost, although the call was carried out");
    public static final Key<Coordinator, Double> COORDINATOR_CONFLICTS = COORDINATOR
            .key(Coordinator.class, "conflicts", number(0, TROUBLE_MOST))
            .otherwise(0.0)
            .simplest(0.0)
            .means("the share of transactions that conflict with another one and are not carried out");

    // The database.

    public static final Key<Database, Double> DATABASE_RATE = DATABASE.key(
                    Database.class, "rate", "ratePerSecond", number(0, RATE_MOST))
            .otherwise(0.0)
            .simplest(0.0)
            .means("connects a second; the database refuses more (53400). 0: no limit");
    public static final Key<Database, Integer> DATABASE_BURST = DATABASE.key(
                    Database.class, "burst", whole(0, COUNT_MOST))
            .otherwise(0)
            .simplest(0)
            .sweep("burst", "connects at once after a rest, limiter and database", ScenarioChanges::burstOfLimiter)
            .sweepAtMost(BURST_MOST)
            .means("connects at once after a quiet time");
    public static final Key<Database, Integer> CAP = DATABASE.key(Database.class, "cap", whole(0, COUNT_MOST))
            .otherwise(0)
            .simplest(0)
            .sweep("cap", "connections that the database allows; 0: no limit", ScenarioChanges::leasesWithCap)
            .means("open connections; the database refuses more (53300). 0: no limit");
    public static final Key<Database, Duration> MAX_AGE = DATABASE.key(Database.class, "maxAge", duration(ZERO, YEAR))
            .otherwise(Duration.ofMinutes(60))
            .simplest(ZERO)
            .means("the age at which the database cuts a connection, without a message. 0: never");
    public static final Key<Database, Latency> HANDSHAKE = DATABASE.key(Database.class, "handshake", ValueType.LATENCY)
            .otherwise(Latency.fixed(Duration.ofMillis(30)))
            .simplified(Latency::withoutSpread)
            .changedBy(ScenarioChanges::stretchHandshake)
            .sweep("handshake", "how long a connect takes")
            .sweepAtMost(Latency.MOST.toNanos())
            .means("how long a connect takes");
    public static final Key<Database, Latency> CLOSE = DATABASE.key(Database.class, "close", ValueType.LATENCY)
            .otherwise(Latency.fixed(MILLI))
            .simplified(Latency::withoutSpread)
            .means("how long a close takes");
    public static final Key<Database, Duration> CRASH_NOTICE = DATABASE.key(
                    Database.class, "crashNotice", duration(ZERO, YEAR))
            .otherwise(ZERO)
            .simplest(ZERO)
            .means("the time after which the database drops the connections of a process that died");
    public static final Key<Database, Duration> CLOSED_HELD_FOR = DATABASE.key(
                    Database.class, "closedHeldFor", duration(ZERO, YEAR))
            .otherwise(ZERO)
            .simplest(ZERO)
            .sweep("closed-held-for", "how long an ended connection still counts towards the cap")
            .means("how long a connection that has ended still counts towards `cap`, as a session does that only idle"
                    + " time ends. An outage of the database ends them all");

    // The tokens.

    public static final Key<Tokens, Duration> TOKEN_LIFETIME = TOKENS.key(
                    Tokens.class, "lifetime", duration(ZERO, YEAR))
            .otherwise(ZERO)
            .simplest(ZERO)
            .means("how long a token is valid. 0: for ever, and processes fetch none");
    public static final Key<Tokens, Duration> RENEW_BEFORE = TOKENS.key(
                    Tokens.class, "renewBefore", duration(ZERO, YEAR))
            .otherwise(Duration.ofMinutes(1))
            .simplest(Duration.ofMinutes(1))
            .means("how long before its end a process fetches the next token");
    public static final Key<Tokens, Latency> FETCH = TOKENS.key(Tokens.class, "fetch", ValueType.LATENCY)
            .otherwise(Latency.fixed(Duration.ofMillis(50)))
            .simplified(Latency::withoutSpread)
            .means("how long it takes to fetch a token");

    // A service.

    public static final Key<Service, String> SERVICE_NAME = SERVICE.key(Service.class, "name", text(100))
            .otherwise("")
            .required("a name for the service")
            .allowed("1 to 100 printable characters, unique")
            .means("the name in tables and charts");
    public static final Key<Service, Integer> INSTANCES = SERVICE.key(
                    Service.class, "instances", whole(1, INSTANCES_MOST))
            .otherwise(1)
            .sweep("instances", "processes of each service")
            .smaller(count -> List.of(1, Math.max(1, count - 1)))
            .means("the number of processes");
    public static final Key<Service, Duration> START_DELAY = SERVICE.key(
                    Service.class, "startDelay", duration(ZERO, YEAR))
            .otherwise(ZERO)
            .simplest(ZERO)
            .allowed("0 to `duration`")
            .means("when the first process starts");
    public static final Key<Service, Duration> INSTANCE_DELAY = SERVICE.key(
                    Service.class, "instanceDelay", duration(ZERO, YEAR))
            .otherwise(ZERO)
            .simplest(ZERO)
            .allowed("the last process must start within `duration`")
            .means("how much later each further process starts");
    public static final Component<Service, Pool> POOL = new Component<>(Service.class, "pool");
    public static final Key<Pool, Integer> TARGET_READY = SERVICE.key(
                    Pool.class, "targetReady", whole(1, Targets.MAX_OPEN_LIMIT))
            .otherwise(50)
            .changedBy(ScenarioChanges::resize)
            .sweep("target", "ready connections of each process")
            .smaller(target -> List.of(Math.max(1, target / 2), Math.max(1, target - 1)))
            .means("connections that each process keeps ready");
    public static final Key<Pool, Integer> MAX_OPEN = SERVICE.key(
                    Pool.class, "maxOpen", whole(1, Targets.MAX_OPEN_LIMIT))
            .otherwise("`targetReady`", values -> values.get(TARGET_READY))
            .sweep("maxOpen", "connections of each process at most")
            .simplestInPart(Pool::targetReady)
            .allowed("`targetReady` to 100,000")
            .means("the most connections of each process");
    public static final Key<Pool, Integer> LOW_WATERMARK = SERVICE.key(
                    Pool.class, "lowWatermark", whole(0, Targets.MAX_OPEN_LIMIT))
            .otherwise("`targetReady`", values -> values.get(TARGET_READY))
            .simplestInPart(Pool::targetReady)
            .allowed("0 to `targetReady`")
            .means("below this, requests for permits are urgent");
    public static final Key<Pool, Duration> GUARD_WINDOW = SERVICE.key(Pool.class, "guardWindow", duration(ZERO, YEAR))
            .otherwise(Duration.ofSeconds(45))
            .sweep("guard", "the guard window")
            .allowed("0 to less than `baseLifetime`")
            .means("the last part of a lifetime, in which a connection is not handed out");
    // Elsewhere in the project, the base lifetime is the middle between the shortest and the longest.
    public static final Key<Pool, Duration> BASE_LIFETIME = SERVICE.key(
                    Pool.class, "baseLifetime", "shortestLifetime", duration(MILLI, YEAR))
            .otherwise(Duration.ofMinutes(11))
            .sweep("lifetime", "the shortest lifetime")
            .means("the shortest lifetime");
    public static final Key<Pool, Duration> JITTER = SERVICE.key(Pool.class, "jitter", duration(ZERO, YEAR))
            .otherwise(Duration.ofMinutes(2))
            .simplest(ZERO)
            .sweep("jitter", "how much lifetimes are spread")
            .allowed("0 to twice `baseLifetime`")
            .means("lifetimes are spread evenly from `baseLifetime` to `baseLifetime` plus this");
    public static final Key<Pool, Duration> CONNECT_TIMEOUT = SERVICE.key(
                    Pool.class, "connectTimeout", positiveDuration())
            .otherwise(Duration.ofSeconds(10))
            .means("the time after which a process gives a connect up");
    public static final Key<Pool, Integer> OPENS_IN_FLIGHT_MAX = SERVICE.key(
                    Pool.class, "opensInFlightMax", whole(1, 1_000_000))
            .otherwise(100)
            .simplest(100)
            .means("the most connects of one process in flight at once");
    public static final Key<Pool, Integer> SUCCESSOR_ALLOWANCE = SERVICE.key(
                    Pool.class, "successorAllowance", whole(-1, Targets.MAX_OPEN_LIMIT))
            .otherwise(-1)
            .simplest(-1)
            .means("connections beyond `maxOpen` while successors take over; -1: a tenth of `maxOpen`, at least 1; 0: a"
                    + " predecessor retires first");
    public static final Key<Pool, Duration> KEEPALIVE = SERVICE.key(Pool.class, "keepalive", duration(ZERO, YEAR))
            .otherwise(Duration.ofMinutes(2))
            .simplest(ZERO)
            .means("how long a connection may be unused before it is validated; 0: never. One ready connection a second"
                    + " is validated in any case");
    public static final Key<Pool, RefillPacing> REFILL_PACING = SERVICE.key(
                    Pool.class, "refillPacing", choice(RefillPacing.values()))
            .otherwise(RefillPacing.SMOOTH)
            .simplest(RefillPacing.SMOOTH)
            .means("how fast a pool opens connections that no caller needs yet. `smooth` spreads them at the long-run"
                    + " rate or within 10 seconds. `off` opens them as fast as permits allow. The engine only");
    public static final Key<Service, Workload> SERVICE_WORKLOAD = SERVICE.<Service, Workload>structure(
                    Service.class, "workload", "workload")
            .documentedDefault("none")
            .means("[what each process does with its connections](#workloads)");

    // A workload.

    public static final Component<Workload, Arrival> ARRIVAL = new Component<>(Workload.class, "arrival");
    public static final Key<Workload, Boolean> ENABLED = WORKLOAD.key(Workload.class, "enabled", null, yesNo())
            .otherwise("true if `arrivals` is given, otherwise false", values -> false)
            .means("whether there is any work");
    public static final Key<Workload, Arrival> ARRIVALS = WORKLOAD.key(
                    Workload.class, "arrivals", null, choice(new Arrival[] {
                        Arrival.CLOSED, Arrival.POISSON, Arrival.EVEN, Arrival.BURSTS, Arrival.RECORDED
                    }))
            .otherwise(Arrival.CLOSED)
            .means("how work arrives");
    public static final Key<Workload, Integer> MAX_IN_USE = WORKLOAD.key(
                    Workload.class, "maxInUse", whole(0, IN_USE_MOST))
            .onlyWith(Arrival.CLOSED)
            .otherwise(0)
            .sweep("inUse", "connections in use at most, of closed workloads")
            .means("closed: the most connections in use");
    public static final Key<Workload, Duration> SPAWN_EVERY = WORKLOAD.key(
                    Workload.class, "spawnEvery", duration(MILLI, YEAR))
            .onlyWith(Arrival.CLOSED)
            .otherwise(Duration.ofMillis(200))
            .means("closed: how often missing units of work are started");
    public static final Key<Workload, Integer> ARRIVAL_BURST = WORKLOAD.key(
                    Workload.class, "arrivalBurst", whole(1, IN_USE_MOST))
            .onlyWith(Arrival.CLOSED)
            .otherwise(5)
            .means("closed: the most units that are started at once");
    public static final Key<Workload, Double> RATE = WORKLOAD.key(
                    Workload.class, "rate", "ratePerSecond", number(0.000001, RATE_MOST))
            .neededWith("checkouts a second of each process", Arrival.POISSON, Arrival.EVEN)
            .otherwise(0.0)
            .sweep("load", "checkouts a second of each process, of open workloads")
            .means("poisson, even: checkouts a second, independent of each other or evenly spaced");
    public static final Key<Workload, Duration> BURST_EVERY = WORKLOAD.key(
                    Workload.class, "burstEvery", duration(MILLI, YEAR))
            .neededWith("how often a burst comes, a duration", Arrival.BURSTS)
            .otherwise(ZERO)
            .means("bursts: the time between two bursts");
    public static final Key<Workload, Integer> BURST_SIZE = WORKLOAD.key(
                    Workload.class, "burstSize", whole(1, IN_USE_MOST))
            .neededWith("how many checkouts come at once", Arrival.BURSTS)
            .otherwise(0)
            .means("bursts: the checkouts in a burst");
    public static final Key<Workload, String> FILE = WORKLOAD.key(Workload.class, "file", null, text(1_000))
            .onlyWith(Arrival.RECORDED)
            .documentedDefault("required, or `times`")
            .allowed("a CSV file")
            .means("recorded: [the times of arrival](#recorded-arrivals)");
    public static final Key<Workload, List<Long>> TIMES = WORKLOAD.<Workload, List<Long>>structure(
                    Workload.class, "times", "recorded")
            .onlyWith(Arrival.RECORDED)
            .otherwise(List.of())
            .allowed("a list")
            .means("recorded: the same, in the scenario itself");
    public static final Key<Workload, Latency> HOLD = WORKLOAD.key(Workload.class, "hold", ValueType.LATENCY)
            .otherwise(Latency.fixed(Duration.ofMillis(10)))
            .simplified(Latency::withoutSpread)
            .means("how long a connection is held");
    public static final Key<Workload, Duration> HOLD_TIME = WORKLOAD.key(
                    Workload.class, "holdTime", null, duration(ZERO, HOLD_MOST))
            .otherwise(Duration.ofMillis(10))
            .means("Go's form of `hold`: the shortest time");
    public static final Key<Workload, Duration> HOLD_JITTER = WORKLOAD.key(
                    Workload.class, "holdJitter", null, duration(ZERO, HOLD_MOST))
            .otherwise(ZERO)
            .means("Go's form of `hold`: times are distributed evenly from `holdTime` to the sum of both");
    public static final Key<Workload, Duration> WORKLOAD_MAX_WAIT = WORKLOAD.key(
                    Workload.class, "maxWait", positiveDuration())
            .otherwise(Duration.ofSeconds(10))
            .means("the longest time that a checkout waits");
    public static final Key<Workload, Double> CONFLICTS = WORKLOAD.key(Workload.class, "conflicts", number(0, 1))
            .otherwise(0.0)
            .simplest(0.0)
            .means("the share of transactions that end in a conflict and run again, up to five times, after 100 ms,"
                    + " 200 ms and so on");

    // A fault.

    public static final Key<Fault, Duration> AT = FAULT.key(Fault.class, "at", duration(ZERO, YEAR))
            .required("when it happens, a duration since the beginning")
            .otherwise(ZERO)
            .allowed("0 to less than `duration`")
            .means("the time since the beginning");
    public static final Key<Fault, FaultKind> KIND = FAULT.key(Fault.class, "kind", choice(FaultKind.values()))
            .required("one of " + String.join(", ", choice(FaultKind.values()).words()))
            .otherwise(FaultKind.DROP)
            .allowed("see above")
            .means("the kind of fault");
    public static final Key<Fault, List<String>> FAULT_SERVICES = FAULT.<Fault, List<String>>structure(
                    Fault.class, "services", "services")
            .onlyWith(FaultKind.DROP, FaultKind.RESTART, FaultKind.CRASH, FaultKind.HANG, FaultKind.SCALE)
            .otherwise(List.of())
            .documentedDefault("all")
            .allowed("a name, or a list of names")
            .means("the services that it hits");
    public static final Key<Fault, Double> FRACTION = FAULT.key(Fault.class, "fraction", number(0, 1))
            .onlyWith(FaultKind.DROP, FaultKind.CRASH, FaultKind.HANG, FaultKind.HUNG_CONNECTS)
            .otherwise(1.0)
            .means("the share of the connections, processes or connects, drawn at random");
    public static final Key<Fault, Duration> FOR = FAULT.key(Fault.class, "for", "lasts", duration(ZERO, YEAR))
            .onlyWith(FaultKind.CRASH)
            .neededWith(
                    "how long it lasts, a duration more than 0",
                    FaultKind.HANG,
                    FaultKind.COORDINATOR_OUTAGE,
                    FaultKind.TOKEN_OUTAGE,
                    FaultKind.HUNG_CONNECTS,
                    FaultKind.DATABASE_OUTAGE,
                    FaultKind.SLOW_CONNECTS,
                    FaultKind.WRITES_THROTTLED)
            .otherwise(ZERO)
            .documentedDefault("")
            .allowed("more than 0")
            .means("how long it lasts; `crash`: 0s or nothing means for ever");
    public static final Key<Fault, Duration> EVERY = FAULT.key(Fault.class, "every", duration(ZERO, YEAR))
            .onlyWith(FaultKind.RESTART)
            .otherwise(ZERO)
            .means("the time until the next process, or service, follows; 0s: all at once");
    public static final Key<Fault, Boolean> BY_SERVICE = FAULT.key(Fault.class, "byService", yesNo())
            .onlyWith(FaultKind.RESTART)
            .otherwise(false)
            .means("whether the processes of a service restart together");
    public static final Key<Fault, Integer> FAULT_INSTANCES = FAULT.key(
                    Fault.class, "instances", whole(0, INSTANCES_MOST))
            .neededWith("the new number of processes of each service", FaultKind.SCALE)
            .otherwise(0)
            .documentedDefault("")
            .means("the new number of processes of each service");
    public static final Key<Fault, Latency> FAULT_HANDSHAKE = FAULT.key(Fault.class, "handshake", ValueType.LATENCY)
            .neededWith("how long connects take then, such as 2s or 1s..5s", FaultKind.SLOW_CONNECTS)
            .documentedDefault("")
            .means("how long connects take meanwhile");

    // Go's form of one fault.

    public static final Key<Fault, GoScenario> GO_KIND = GO_SCENARIO
            .key(
                    Fault.class,
                    "kind",
                    null,
                    choice(constant -> constant.name().toLowerCase(Locale.ROOT), GoScenario.values()))
            .otherwise(GoScenario.COLD_START)
            .means("`cold_start`: nothing happens. `rolling_restart`: from minute 5 on, one service after the other"
                    + " restarts. `mass_drop`: the database drops connections");
    public static final Key<Fault, Duration> ROLL_EVERY = GO_SCENARIO
            .key(Fault.class, "rollEvery", null, duration(ZERO, YEAR))
            .otherwise(Duration.ofSeconds(60))
            .means("rolling_restart: the time until the next service follows");
    public static final Key<Fault, Duration> DROP_AT = GO_SCENARIO
            .key(Fault.class, "dropAt", null, duration(ZERO, YEAR))
            .otherwise(Duration.ofMinutes(5))
            .allowed("0 to less than `duration`")
            .means("mass_drop: the time of the drop");
    public static final Key<Fault, Double> DROP_FRACTION = GO_SCENARIO
            .key(Fault.class, "dropFraction", null, number(0, 1))
            .otherwise(0.5)
            .means("mass_drop: the share of connections");

    // A latency that is a map.

    public static final Key<Scenario, Duration> MEDIAN = LATENCY.key(
                    Scenario.class, "median", null, duration(ValueType.TINY, Latency.MOST))
            .required("with p99, or mean in place of both")
            .otherwise(Latency.MOST);
    public static final Key<Scenario, Duration> P99 = LATENCY.key(
                    Scenario.class, "p99", null, duration(ValueType.TINY, Latency.MOST))
            .required("with median, or mean in place of both")
            .otherwise(Latency.MOST);
    public static final Key<Scenario, Duration> MEAN = LATENCY.key(
                    Scenario.class, "mean", null, duration(ValueType.TINY, Latency.MOST))
            .otherwise(Latency.MOST);

    /** All stored keys and components, by the name of their part and their component. */
    private static final Map<String, Component<?, ?>> STORED = stored();

    private ScenarioKeys() {}

    private static Map<String, Component<?, ?>> stored() {
        Map<String, Component<?, ?>> stored = new HashMap<>();
        List.of(NAME, LIMITER, EXPECTED, POOL, ARRIVAL).forEach(c -> stored.put(c.path(), c));
        for (Section section : SECTIONS) {
            section.keys().stream().filter(Component::isStored).forEach(key -> stored.put(key.path(), key));
        }
        return stored;
    }

    /** The key of a record component, or the component itself if no key belongs to it. */
    static Component<?, ?> component(RecordComponent component) {
        String path = Component.path(component.getDeclaringRecord(), component.getName());
        Component<?, ?> found = STORED.get(path);
        if (found == null) {
            throw new IllegalStateException("bug: the table has no key for " + path);
        }
        return found;
    }

    /** A part in which everything has its default, as in a file that does not mention it. */
    public static <P extends ScenarioPart<P>> P defaults(Class<P> part) {
        Values none = new Values();
        none.put(NAME, "");
        none.put(ARRIVAL, Arrival.NONE);
        return none.build(part);
    }

    /** All keys that have a row in the documentation, in the order of the sections. */
    public static List<Key<?, ?>> all() {
        return SECTIONS.stream()
                .<Key<?, ?>>flatMap(section -> section.keys().stream())
                .toList();
    }

    /** All keys whose values are stored in a part. */
    @SuppressWarnings("unchecked") // the part of a key is its type parameter
    public static <P extends ScenarioPart<P>> List<Key<P, ?>> of(Class<P> part) {
        return all().stream()
                .filter(key -> key.isStored() && key.part() == part)
                .<Key<P, ?>>map(key -> (Key<P, ?>) key)
                .toList();
    }

    /** The part of a file that accepts a key, for a key found in the wrong part. Null if no part accepts it. */
    public static @Nullable String place(String key) {
        return SECTIONS.stream()
                .filter(section -> section.names().contains(key))
                .map(Section::place)
                .findFirst()
                .orElse(null);
    }
}
