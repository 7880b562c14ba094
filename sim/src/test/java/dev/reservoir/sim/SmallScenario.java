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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Says a small scenario in few words. Everything has a default: a minute, 100 connects a second, 20 ms for each. */
public final class SmallScenario {
    public final Wanted expected = new Wanted();
    private final List<SmallService> services;
    private final List<Fault> faults = new ArrayList<>();
    private long seed = 7;
    private Duration duration = Duration.ofMinutes(1);
    private Duration sampleEvery = Duration.ofSeconds(1);
    private Limiter limiter = new Limiter(100, 1, Sharing.SHARED);
    private Latency coordinatorLatency = Latency.fixed(Duration.ZERO);
    private int leaseLimit;
    private Duration leaseTime = Duration.ofSeconds(10);
    private WhenAway whenAway = WhenAway.LOCAL_SHARE;
    private Duration clockSkew = Duration.ZERO;
    private double loseAnswers;
    private double conflicts;
    private double databaseRate;
    private int databaseBurst;
    private int cap;
    private Duration maxAge = Duration.ZERO;
    private Latency handshake = Latency.fixed(Duration.ofMillis(20));
    private Latency close = Latency.fixed(Duration.ofMillis(1));
    private Duration crashNotice = Duration.ZERO;
    private Tokens tokens = new Tokens(Duration.ZERO, Duration.ZERO, Latency.fixed(Duration.ZERO));

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
        limiter = new Limiter(perSecond, burst, sharing);
        return this;
    }

    public SmallScenario unlimited() {
        return limiter(100, 1, Sharing.NONE);
    }

    public SmallScenario coordinatorAnswersIn(String value) {
        coordinatorLatency = Latency.fixed(time(value));
        return this;
    }

    public SmallScenario leases(int limit, String takenBackAfter) {
        leaseLimit = limit;
        leaseTime = time(takenBackAfter);
        return this;
    }

    public SmallScenario clocksAreOffBy(String atMost) {
        clockSkew = time(atMost);
        return this;
    }

    public SmallScenario losesAnswers(double share) {
        loseAnswers = share;
        return this;
    }

    public SmallScenario meetsConflicts(double share) {
        conflicts = share;
        return this;
    }

    public SmallScenario stopsWhenAway() {
        whenAway = WhenAway.STOP;
        return this;
    }

    public SmallScenario databaseRate(double perSecond, int burst) {
        databaseRate = perSecond;
        databaseBurst = burst;
        return this;
    }

    public SmallScenario cap(int value) {
        cap = value;
        return this;
    }

    public SmallScenario maxAge(String value) {
        maxAge = time(value);
        return this;
    }

    public SmallScenario handshake(Latency value) {
        handshake = value;
        return this;
    }

    public SmallScenario handshake(String value) {
        return handshake(Latency.fixed(time(value)));
    }

    public SmallScenario closeTakes(String value) {
        close = Latency.fixed(time(value));
        return this;
    }

    public SmallScenario crashNotice(String value) {
        crashNotice = time(value);
        return this;
    }

    public SmallScenario tokens(String lifetime, String renewBefore, String fetch) {
        tokens = new Tokens(time(lifetime), time(renewBefore), Latency.fixed(time(fetch)));
        return this;
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
        return fault(new Fault(time(at), kind, List.of(whom), fraction, time(lasts), Duration.ZERO, false, 0, null));
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
        return fault(
                new Fault(time(at), FaultKind.RESTART, List.of(), 1, Duration.ZERO, time(every), byService, 0, null));
    }

    public SmallScenario scale(String at, int instances, String... whom) {
        return fault(new Fault(
                time(at), FaultKind.SCALE, List.of(whom), 1, Duration.ZERO, Duration.ZERO, false, instances, null));
    }

    public SmallScenario slowConnects(String at, String lasts, String takes) {
        return fault(new Fault(
                time(at),
                FaultKind.SLOW_CONNECTS,
                List.of(),
                1,
                time(lasts),
                Duration.ZERO,
                false,
                0,
                Latency.fixed(time(takes))));
    }

    public Scenario build() {
        return new Scenario(
                "small",
                seed,
                "nowhere",
                duration,
                sampleEvery,
                limiter,
                new Coordinator(coordinatorLatency, leaseLimit, leaseTime, whenAway, clockSkew, loseAnswers, conflicts),
                new Database(databaseRate, databaseBurst, cap, maxAge, handshake, close, crashNotice),
                tokens,
                services.stream().map(SmallService::build).toList(),
                List.copyOf(faults),
                expected.build());
    }

    /** Runs it with the engine. */
    public Seen run() {
        return run(PoolKind.RESERVOIR);
    }

    public Seen run(PoolKind pool) {
        Outcome outcome = Simulation.run(build(), pool, Simulation.Progress.NONE);
        return new Seen(outcome);
    }
}
