package dev.reservoir.sim;

import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Coordinator;
import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import dev.reservoir.sim.scenario.Scenario.Tokens;
import dev.reservoir.sim.scenario.Scenario.WhenAway;
import dev.reservoir.sim.scenario.ScenarioKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Builds a small scenario. It lasts a minute by default, with 100 connects per second that take 20 ms each. */
public final class SmallScenario {
    public final Wanted expected = new Wanted();
    private final List<SmallService> services;
    private final List<Fault> faults = new ArrayList<>();
    private long seed = 7;
    private Duration duration = Duration.ofMinutes(1);
    private Duration sampleEvery = Duration.ofSeconds(1);
    private Limiter limiter = ScenarioKeys.defaults(Limiter.class);
    private Coordinator coordinator =
            ScenarioKeys.defaults(Coordinator.class).with(ScenarioKeys.LEASE_TIME, Duration.ofSeconds(10));
    private Database database = ScenarioKeys.defaults(Database.class)
            .with(ScenarioKeys.MAX_AGE, Duration.ZERO)
            .with(ScenarioKeys.HANDSHAKE, Latency.fixed(Duration.ofMillis(20)));
    private Tokens tokens = tokens(Duration.ZERO, Duration.ZERO, Duration.ZERO);

    private SmallScenario(List<SmallService> services) {
        this.services = services;
    }

    public static SmallScenario of(SmallService... services) {
        return new SmallScenario(List.of(services));
    }

    public static Duration time(String text) {
        return Objects.requireNonNull(DurationText.parse(text), text);
    }

    public SmallScenario seed(long value) {
        seed = value;
        return this;
    }

    public SmallScenario lasts(String value) {
        duration = time(value);
        return this;
    }

    public SmallScenario sampledEvery(String value) {
        sampleEvery = time(value);
        return this;
    }

    public SmallScenario limiter(double perSecond, int burst, Sharing sharing) {
        limiter = limiter.with(ScenarioKeys.LIMITER_PER_SEC, perSecond)
                .with(ScenarioKeys.BURST, burst)
                .with(ScenarioKeys.PERMITS, sharing);
        return this;
    }

    public SmallScenario unlimited() {
        return limiter(100, 1, Sharing.NONE);
    }

    public SmallScenario coordinatorAnswersIn(String value) {
        coordinator = coordinator.with(ScenarioKeys.COORDINATOR_LATENCY, Latency.fixed(time(value)));
        return this;
    }

    public SmallScenario leases(int limit, String takenBackAfter) {
        coordinator =
                coordinator.with(ScenarioKeys.LEASE_LIMIT, limit).with(ScenarioKeys.LEASE_TIME, time(takenBackAfter));
        return this;
    }

    public SmallScenario clocksAreOffBy(String atMost) {
        coordinator = coordinator.with(ScenarioKeys.CLOCK_SKEW, time(atMost));
        return this;
    }

    public SmallScenario losesAnswers(double share) {
        coordinator = coordinator.with(ScenarioKeys.LOSE_ANSWERS, share);
        return this;
    }

    public SmallScenario meetsConflicts(double share) {
        coordinator = coordinator.with(ScenarioKeys.COORDINATOR_CONFLICTS, share);
        return this;
    }

    public SmallScenario stopsWhenAway() {
        coordinator = coordinator.with(ScenarioKeys.WHEN_AWAY, WhenAway.STOP);
        return this;
    }

    public SmallScenario databaseRate(double perSecond, int burst) {
        database = database.with(ScenarioKeys.DATABASE_RATE, perSecond).with(ScenarioKeys.DATABASE_BURST, burst);
        return this;
    }

    public SmallScenario cap(int value) {
        database = database.with(ScenarioKeys.CAP, value);
        return this;
    }

    public SmallScenario maxAge(String value) {
        database = database.with(ScenarioKeys.MAX_AGE, time(value));
        return this;
    }

    public SmallScenario handshake(Latency value) {
        database = database.with(ScenarioKeys.HANDSHAKE, value);
        return this;
    }

    public SmallScenario handshake(String value) {
        return handshake(Latency.fixed(time(value)));
    }

    public SmallScenario closeTakes(String value) {
        database = database.with(ScenarioKeys.CLOSE, Latency.fixed(time(value)));
        return this;
    }

    public SmallScenario crashNotice(String value) {
        database = database.with(ScenarioKeys.CRASH_NOTICE, time(value));
        return this;
    }

    public SmallScenario closedHeldFor(String value) {
        database = database.with(ScenarioKeys.CLOSED_HELD_FOR, time(value));
        return this;
    }

    public SmallScenario tokens(String lifetime, String renewBefore, String fetch) {
        tokens = tokens(time(lifetime), time(renewBefore), time(fetch));
        return this;
    }

    private static Tokens tokens(Duration lifetime, Duration renewBefore, Duration fetch) {
        return ScenarioKeys.defaults(Tokens.class)
                .with(ScenarioKeys.TOKEN_LIFETIME, lifetime)
                .with(ScenarioKeys.RENEW_BEFORE, renewBefore)
                .with(ScenarioKeys.FETCH, Latency.fixed(fetch));
    }

    public SmallScenario promisesKept() {
        expected.promisesKept = true;
        return this;
    }

    // Faults.

    public SmallScenario fault(Fault fault) {
        faults.add(fault);
        return this;
    }

    /** An outage, or connects that all hang. */
    public SmallScenario lasting(String at, FaultKind kind, String lasts) {
        return fault(at, kind, 1, lasts);
    }

    public SmallScenario fault(String at, FaultKind kind, double fraction, String lasts, String... whom) {
        return fault(fault(at, kind, whom).with(ScenarioKeys.FRACTION, fraction).with(ScenarioKeys.FOR, time(lasts)));
    }

    private static Fault fault(String at, FaultKind kind, String... whom) {
        return ScenarioKeys.defaults(Fault.class)
                .with(ScenarioKeys.AT, time(at))
                .with(ScenarioKeys.KIND, kind)
                .with(ScenarioKeys.FAULT_SERVICES, List.of(whom));
    }

    public SmallScenario drop(String at, double fraction, String... whom) {
        return fault(at, FaultKind.DROP, fraction, "0", whom);
    }

    public SmallScenario crash(String at, double fraction, String backAfter, String... whom) {
        return fault(at, FaultKind.CRASH, fraction, backAfter, whom);
    }

    public SmallScenario hang(String at, double fraction, String lasts, String... whom) {
        return fault(at, FaultKind.HANG, fraction, lasts, whom);
    }

    public SmallScenario restart(String at, String every, boolean byService) {
        return fault(fault(at, FaultKind.RESTART)
                .with(ScenarioKeys.EVERY, time(every))
                .with(ScenarioKeys.BY_SERVICE, byService));
    }

    public SmallScenario scale(String at, int instances, String... whom) {
        return fault(fault(at, FaultKind.SCALE, whom).with(ScenarioKeys.FAULT_INSTANCES, instances));
    }

    public SmallScenario slowConnects(String at, String lasts, String takes) {
        return fault(fault(at, FaultKind.SLOW_CONNECTS)
                .with(ScenarioKeys.FOR, time(lasts))
                .with(ScenarioKeys.FAULT_HANDSHAKE, Latency.fixed(time(takes))));
    }

    public Scenario build() {
        return ScenarioKeys.defaults(Scenario.class)
                .withName("small")
                .withSeed(seed)
                .with(ScenarioKeys.ENDPOINT, "nowhere")
                .withDuration(duration)
                .with(ScenarioKeys.SAMPLE_EVERY, sampleEvery)
                .with(ScenarioKeys.LIMITER, limiter)
                .with(ScenarioKeys.SCENARIO_COORDINATOR, coordinator)
                .with(ScenarioKeys.SCENARIO_DATABASE, database)
                .with(ScenarioKeys.SCENARIO_TOKENS, tokens)
                .with(
                        ScenarioKeys.SERVICES,
                        services.stream().map(SmallService::build).toList())
                .with(ScenarioKeys.FAULTS, List.copyOf(faults))
                .with(ScenarioKeys.EXPECTED, expected.build());
    }

    /** Runs the scenario with the engine. */
    public Seen run() {
        return run(PoolKind.RESERVOIR);
    }

    public Seen run(PoolKind pool) {
        Outcome outcome = Simulation.run(build(), pool, Simulation.Progress.NONE);
        return new Seen(outcome);
    }
}
