package dev.reservoir.sim.report;

import dev.reservoir.core.RefillPacing;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Simulation;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.scenario.Latency;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Arrival;
import dev.reservoir.sim.scenario.Scenario.Coordinator;
import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.Scenario.Fault;
import dev.reservoir.sim.scenario.Scenario.FaultKind;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.Scenario.Sharing;
import dev.reservoir.sim.scenario.Scenario.Tokens;
import dev.reservoir.sim.scenario.Scenario.WhenAway;
import dev.reservoir.sim.scenario.Scenario.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

/** Outcomes to make reports of. */
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
        Latency none = Latency.fixed(Duration.ZERO);
        Expected expected = new Expected(
                100,
                Duration.ofSeconds(30),
                Duration.ofSeconds(5),
                200,
                false,
                Duration.ofMillis(50),
                null,
                0L,
                0.4,
                0L,
                250,
                false,
                false);
        return new Scenario(
                name,
                42,
                "a cluster",
                lasts,
                Duration.ofSeconds(1),
                new Limiter(30, 1, Sharing.SHARED),
                new Coordinator(none, 0, Duration.ofSeconds(60), WhenAway.LOCAL_SHARE),
                new Database(
                        35,
                        10,
                        300,
                        Duration.ofHours(1),
                        Latency.logNormal(Duration.ofMillis(30), Duration.ofMillis(200)),
                        Latency.fixed(Duration.ofMillis(1)),
                        Duration.ofSeconds(5)),
                new Tokens(Duration.ZERO, Duration.ZERO, none),
                services,
                faults,
                expected);
    }

    static Service service(String name, int processes, int target, Workload work) {
        Pool pool = new Pool(
                target,
                target,
                target / 2,
                Duration.ofSeconds(10),
                Duration.ofSeconds(100),
                Duration.ofSeconds(60),
                Duration.ofSeconds(10),
                100,
                -1,
                Duration.ofSeconds(30),
                RefillPacing.SMOOTH);
        return new Service(name, processes, pool, Duration.ZERO, Duration.ofSeconds(1), work);
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
        return new Workload(
                arrival,
                inUse,
                Duration.ofMillis(100),
                10,
                rate,
                Duration.ofSeconds(2),
                burst,
                List.of(),
                Latency.uniform(Duration.ofMillis(10), Duration.ofMillis(60)),
                Duration.ofSeconds(2),
                0);
    }

    static Fault fault(double atMinutes, FaultKind kind, double fraction, int lastsSeconds) {
        return new Fault(
                Duration.ofMillis((long) (atMinutes * 60_000)),
                kind,
                List.of(),
                fraction,
                Duration.ofSeconds(lastsSeconds),
                Duration.ZERO,
                false,
                0,
                null);
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
