package dev.reservoir.sim;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.sim.result.Outcome;
import dev.reservoir.sim.result.Sample;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private static List<Long> sampledAt(String lasts, String every) {
        Seen seen =
                SmallScenario.of(service("a")).lasts(lasts).sampledEvery(every).run();
        return seen.samples("a").stream().map(Sample::atNanos).toList();
    }

    @Test
    void samplesAreTakenEverySoOftenAndAtTheEnd() {
        long second = 1_000_000_000L;
        assertThat(sampledAt("3s", "1s")).containsExactly(second, 2 * second, 3 * second);
        assertThat(sampledAt("5s", "2s")).containsExactly(2 * second, 4 * second, 5 * second);
        assertThat(sampledAt("3s", "10s")).containsExactly(3 * second);
    }

    @Test
    void samplesComeByTimeThenByService() {
        Outcome outcome =
                SmallScenario.of(service("b"), service("a")).lasts("2s").run().outcome();
        assertThat(outcome.samples()).extracting(Sample::service).containsExactly("b", "a", "b", "a");
        assertThat(outcome.last()).extracting(Sample::service).containsExactly("b", "a");
        assertThat(outcome.seconds()).hasSize(2);
    }

    @Test
    void marksAreInOrderAndConvergenceIsOne() {
        Outcome outcome = SmallScenario.of(service("a").even(10))
                .drop("20s", 0.1)
                .drop("10s", 0.1)
                .run()
                .outcome();
        assertThat(outcome.marks()).extracting(Outcome.Mark::kind).containsExactly("converged", "fault", "fault");
        assertThat(outcome.marks()).extracting(Outcome.Mark::atNanos).isSorted();
    }

    @Test
    void progressIsToldWithEachSample() {
        List<String> told = new ArrayList<>();
        Simulation.run(
                SmallScenario.of(service("a")).lasts("3s").build(),
                PoolKind.RESERVOIR,
                (now, of) -> told.add(now / 1_000_000_000 + " of " + of / 1_000_000_000));
        assertThat(told).containsExactly("1 of 3", "2 of 3", "3 of 3");
    }

    @Test
    void theEnginesBooksAndTheDatabasesAgree() {
        Seen seen = SmallScenario.of(
                        service("a").target(30).lives("20s", "5s", "2s").poisson(100),
                        service("b").instances(3).lives("15s", "0", "1s").closed(8, "50ms", 4))
                .drop("40s", 0.3)
                .restart("1m", "3s", false)
                .lasts("3m")
                .run();
        long opened = seen.outcome().last().stream().mapToLong(Sample::refills).sum();
        long connects =
                seen.outcome().seconds().stream().mapToInt(s -> s.connects()).sum();
        long closed =
                seen.outcome().seconds().stream().mapToInt(s -> s.closures()).sum();
        long aged = seen.outcome().ages().stream().mapToLong(n -> n).sum();
        int open = seen.outcome().last().stream().mapToInt(Sample::open).sum();
        assertThat(connects).isBetween(opened, opened + 5);
        assertThat(opened - closed).isBetween((long) open - 5, (long) open);
        assertThat(aged).isEqualTo(closed);
        for (Sample sample : seen.outcome().samples()) {
            assertThat(sample.usable()).isLessThanOrEqualTo(sample.ready() + sample.inUse() + sample.validating());
            assertThat(sample.checkouts()).isLessThanOrEqualTo(sample.workStarted() + sample.conflicts());
        }
    }
}
