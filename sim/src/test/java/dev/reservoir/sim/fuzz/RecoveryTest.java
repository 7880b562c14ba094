package dev.reservoir.sim.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Simulation;
import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Sample;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.Scenario.Database;
import dev.reservoir.sim.scenario.Scenario.Limiter;
import dev.reservoir.sim.scenario.Scenario.Pool;
import dev.reservoir.sim.scenario.Scenario.Service;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever went wrong: when it is over, and nothing stands in the way, the reservoirs are full again by themselves. */
@Tag("exhaustive")
class RecoveryTest {
    private static final long SEEDS = Long.getLong("reservoir.fuzz.seeds", 3_000) / 30;
    private static final int SAMPLES_LOOKED_AT = 40;

    /** Those with no successors' allowance retire a few before they open others. */
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

    /** The same with room and rate for all, connects that have the time they need, and a while in which nothing happens. */
    private static Scenario withACalmEnd(Scenario s) {
        Database d = s.database();
        return new Scenario(
                s.name(),
                s.seed(),
                s.endpoint(),
                s.duration().plusSeconds(150),
                Duration.ofSeconds(1),
                new Limiter(100, s.limiter().burst(), s.limiter().sharing()),
                s.coordinator().leaseLimit() == 0
                        ? s.coordinator()
                        : s.coordinator().withLeaseLimit(10_000),
                new Database(0, 0, 0, Duration.ZERO, d.handshake(), d.close(), d.crashNotice()),
                s.tokens(),
                s.services().stream().map(RecoveryTest::patient).toList(),
                s.faults(),
                s.expected());
    }

    private static Service patient(Service s) {
        Pool p = s.pool();
        Pool patient = new Pool(
                p.targetReady(),
                p.maxOpen(),
                p.lowWatermark(),
                p.guardWindow(),
                p.shortestLifetime(),
                p.jitter(),
                Duration.ofSeconds(15),
                100,
                p.successorAllowance(),
                Duration.ofSeconds(5),
                p.refillPacing());
        return new Service(s.name(), s.instances(), patient, s.startDelay(), s.instanceDelay(), s.workload());
    }
}
