package dev.reservoir.sim.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Simulation;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Service;
import dev.reservoir.sim.scenario.ScenarioKeys;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** After any faults, once they are over and nothing limits the pools, all pools fill again by themselves. */
@Tag("exhaustive")
class RecoveryTest {
    private static final long SEEDS = Long.getLong("reservoir.fuzz.seeds", 3_000) / 30;
    private static final int SAMPLES_LOOKED_AT = 40;

    /** Pools without an allowance for successors retire a few connections before they open others. */
    private static final double ENOUGH = 0.9;

    @Test
    void afterTheLastFaultEveryServiceHasItsTargetAgain() {
        List<String> stuck = LongStream.rangeClosed(1, SEEDS)
                .parallel()
                .mapToObj(RecoveryTest::stuck)
                .filter(text -> !text.isEmpty())
                .toList();
        assertThat(stuck).isEmpty();
    }

    private static String stuck(long seed) {
        Scenario scenario = withACalmEnd(RandomScenario.of(seed));
        Outcome outcome = Simulation.run(scenario, PoolKind.RESERVOIR, Simulation.Progress.NONE);
        String broken = Fuzz.broken(outcome);
        if (broken != null) {
            return "seed " + seed + ": " + broken;
        }
        int services = scenario.services().size();
        for (int i = 0; i < services; i++) {
            double best = 0;
            for (int back = 0; back < SAMPLES_LOOKED_AT; back++) {
                Sample sample = outcome.samples().get(outcome.samples().size() - services * (back + 1) + i);
                best = Math.max(best, sample.target() == 0 ? 1 : (double) sample.usable() / sample.target());
            }
            if (best < ENOUGH) {
                return String.format(Locale.ROOT, "seed %d: %s has %.2f of its target", seed, i, best);
            }
        }
        return "";
    }

    /** The same scenario with enough limits for all, long connect timeouts, and a calm time at the end. */
    private static Scenario withACalmEnd(Scenario s) {
        int leases = s.coordinator().leaseLimit() == 0 ? 0 : 10_000;
        return s.withDuration(s.duration().plusSeconds(150))
                .with(ScenarioKeys.SAMPLE_EVERY, Duration.ofSeconds(1))
                .with(ScenarioKeys.LIMITER, s.limiter().with(ScenarioKeys.LIMITER_PER_SEC, 100.0))
                .with(ScenarioKeys.SCENARIO_COORDINATOR, s.coordinator().with(ScenarioKeys.LEASE_LIMIT, leases))
                .with(
                        ScenarioKeys.SCENARIO_DATABASE,
                        s.database()
                                .with(ScenarioKeys.DATABASE_RATE, 0.0)
                                .with(ScenarioKeys.DATABASE_BURST, 0)
                                .with(ScenarioKeys.CAP, 0)
                                .with(ScenarioKeys.MAX_AGE, Duration.ZERO))
                .with(
                        ScenarioKeys.SERVICES,
                        s.services().stream().map(RecoveryTest::patient).toList());
    }

    private static Service patient(Service s) {
        return s.with(
                ScenarioKeys.POOL,
                s.pool()
                        .with(ScenarioKeys.CONNECT_TIMEOUT, Duration.ofSeconds(15))
                        .with(ScenarioKeys.OPENS_IN_FLIGHT_MAX, 100)
                        .with(ScenarioKeys.KEEPALIVE, Duration.ofSeconds(5)));
    }
}
