package dev.reservoir.sim.report;

import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Simulation;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Workload;
import dev.reservoir.sim.scenario.ScenarioKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

/** Scenarios and outcomes for tests of the report. */
final class Examples {
    private Examples() {}

    /** A name that would end a script, or begin an element, if it were put into a page as it is. */
    static final String NASTY = "</script><b>&amp;\"'";

    /** Four services with work, connections that live two minutes, and a few faults. */
    static Scenario busy(String name, int minutes) {
        List<Service> services = List.of(
                service("history", 2, 40, closed(30)),
                service("matching", 1, 30, poisson(400)),
                service("frontend", 3, 15, poisson(250)),
                service("worker", 1, 20, bursts(25)));
        List<Fault> faults = List.of(
                fault(minutes * 0.4, FaultKind.DROP, 0.5, 0),
                fault(minutes * 0.6, FaultKind.COORDINATOR_OUTAGE, 1, 30),
                fault(minutes * 0.75, FaultKind.CRASH, 0.3, 20));
        return scenario(name, Duration.ofMinutes(minutes), services, faults);
    }

    static Scenario scenario(String name, Duration lasts, List<Service> services, List<Fault> faults) {
        Expected expected = ScenarioKeys.defaults(Expected.class)
                .with(ScenarioKeys.CONVERGE_WITHIN, Duration.ofSeconds(30))
                .with(ScenarioKeys.MAX_CONNECTS_PER_SEC, 100)
                .with(ScenarioKeys.MAX_WAIT_P999, Duration.ofMillis(50))
                .with(ScenarioKeys.MAX_TIMEOUTS, 0L)
                .with(ScenarioKeys.MIN_USABLE_SHARE, 0.4)
                .with(ScenarioKeys.MAX_REFUSED_CONNECTS, 0L)
                .with(ScenarioKeys.MAX_OPEN_CONNECTIONS, 250);
        Scenario usual = ScenarioKeys.defaults(Scenario.class);
        return usual.withName(name)
                .with(ScenarioKeys.ENDPOINT, "a cluster")
                .withDuration(lasts)
                .with(ScenarioKeys.LIMITER, usual.limiter().with(ScenarioKeys.LIMITER_PER_SEC, 30.0))
                .with(
                        ScenarioKeys.SCENARIO_DATABASE,
                        usual.database()
                                .with(ScenarioKeys.DATABASE_RATE, 35.0)
                                .with(ScenarioKeys.DATABASE_BURST, 10)
                                .with(ScenarioKeys.CAP, 300)
                                .with(
                                        ScenarioKeys.HANDSHAKE,
                                        Latency.logNormal(Duration.ofMillis(30), Duration.ofMillis(200)))
                                .with(ScenarioKeys.CRASH_NOTICE, Duration.ofSeconds(5)))
                .with(ScenarioKeys.SERVICES, services)
                .with(ScenarioKeys.FAULTS, faults)
                .with(ScenarioKeys.EXPECTED, expected);
    }

    static Service service(String name, int processes, int target, Workload work) {
        Pool pool = ScenarioKeys.defaults(Pool.class)
                .with(ScenarioKeys.TARGET_READY, target)
                .with(ScenarioKeys.MAX_OPEN, target)
                .with(ScenarioKeys.LOW_WATERMARK, target / 2)
                .with(ScenarioKeys.GUARD_WINDOW, Duration.ofSeconds(10))
                .with(ScenarioKeys.BASE_LIFETIME, Duration.ofSeconds(100))
                .with(ScenarioKeys.JITTER, Duration.ofSeconds(60))
                .with(ScenarioKeys.KEEPALIVE, Duration.ofSeconds(30));
        return ScenarioKeys.defaults(Service.class)
                .with(ScenarioKeys.SERVICE_NAME, name)
                .with(ScenarioKeys.INSTANCES, processes)
                .with(ScenarioKeys.POOL, pool)
                .with(ScenarioKeys.INSTANCE_DELAY, Duration.ofSeconds(1))
                .with(ScenarioKeys.SERVICE_WORKLOAD, work);
    }

    static Workload closed(int inUse) {
        return work(Arrival.CLOSED, inUse, 0, 0);
    }

    static Workload poisson(double perSecond) {
        return work(Arrival.POISSON, 0, perSecond, 0);
    }

    static Workload bursts(int size) {
        return work(Arrival.BURSTS, 0, 0, size);
    }

    private static Workload work(Arrival arrival, int inUse, double rate, int burst) {
        return ScenarioKeys.defaults(Workload.class)
                .with(ScenarioKeys.ARRIVAL, arrival)
                .with(ScenarioKeys.MAX_IN_USE, inUse)
                .with(ScenarioKeys.SPAWN_EVERY, Duration.ofMillis(100))
                .with(ScenarioKeys.ARRIVAL_BURST, 10)
                .with(ScenarioKeys.RATE, rate)
                .with(ScenarioKeys.BURST_EVERY, Duration.ofSeconds(2))
                .with(ScenarioKeys.BURST_SIZE, burst)
                .with(ScenarioKeys.HOLD, Latency.uniform(Duration.ofMillis(10), Duration.ofMillis(60)))
                .with(ScenarioKeys.WORKLOAD_MAX_WAIT, Duration.ofSeconds(2));
    }

    static Fault fault(double atMinutes, FaultKind kind, double fraction, int lastsSeconds) {
        return ScenarioKeys.defaults(Fault.class)
                .with(ScenarioKeys.AT, Duration.ofMillis((long) (atMinutes * 60_000)))
                .with(ScenarioKeys.KIND, kind)
                .with(ScenarioKeys.FRACTION, fraction)
                .with(ScenarioKeys.FOR, Duration.ofSeconds(lastsSeconds));
    }

    static Outcome run(Scenario scenario, PoolKind pool) {
        return Simulation.run(scenario, pool, Simulation.Progress.NONE);
    }

    static String page(Outcome... outcomes) {
        StringBuilder page = new StringBuilder();
        try {
            HtmlReport.write(List.of(outcomes), page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return page.toString();
    }
}
