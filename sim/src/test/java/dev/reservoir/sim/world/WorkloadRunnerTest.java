package dev.reservoir.sim.world;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reservoir.sim.Seen;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.SmallService;
import dev.reservoir.sim.result.Outcome.Waits;
import dev.reservoir.sim.result.Sample;
import org.junit.jupiter.api.Test;

/** Pools fill within 20 ms. The workload begins then. */
class WorkloadRunnerTest {
    private static Seen run(SmallService service) {
        return SmallScenario.of(service).unlimited().run();
    }

    @Test
    void noneComeUnlessTheyAreAskedFor() {
        Sample last = run(service("a")).last("a");
        assertThat(last.workStarted()).isZero();
        assertThat(last.checkouts()).isZero();
    }

    @Test
    void closedOnesStartAFewEachTickUntilEnoughAreInUse() {
        Seen seen = run(service("a").target(50).closed(12, "500ms", 5).holds("1h"));
        // At 520 ms, 1020 ms and 1520 ms.
        assertThat(seen.at("1s", "a").inUse()).isEqualTo(5);
        assertThat(seen.at("2s", "a").inUse()).isEqualTo(12);
        assertThat(seen.last("a").workStarted()).isEqualTo(12);
        assertThat(seen.last("a").workCompleted()).isZero();
    }

    @Test
    void evenOnesComeInStep() {
        Sample last = run(service("a").even(4)).last("a");
        // Every 250 ms, from 270 ms on.
        assertThat(last.workStarted()).isEqualTo(239);
        assertThat(last.workCompleted()).isEqualTo(239);
        assertThat(last.checkouts()).isEqualTo(239);
    }

    @Test
    void poissonOnesComeAtTheirRateAndNotInStep() {
        Seen seen = SmallScenario.of(service("a").poisson(50)).lasts("4m").run();
        double expected = 50 * 240;
        assertThat((double) seen.last("a").workStarted()).isCloseTo(expected, within(4 * Math.sqrt(expected)));
        long none = 0;
        long before = 0;
        for (Sample sample : seen.samples("a")) {
            none += sample.workStarted() - before == 50 ? 1 : 0;
            before = sample.workStarted();
        }
        assertThat(none).isLessThan(40);
    }

    @Test
    void burstsComeTogether() {
        Seen seen = run(service("a").bursts("10s", 7).holds("2s"));
        assertThat(seen.at("10s", "a").workStarted()).isZero();
        assertThat(seen.at("11s", "a").inUse()).isEqualTo(7);
        assertThat(seen.at("13s", "a").inUse()).isZero();
        assertThat(seen.last("a").workStarted()).isEqualTo(35);
    }

    @Test
    void recordedOnesComeAsTheyWere() {
        Seen seen = run(service("a").recorded("1s", "1s", "1.5s", "20s"));
        assertThat(seen.at("1s", "a").workStarted()).isZero();
        assertThat(seen.at("2s", "a").workStarted()).isEqualTo(3);
        assertThat(seen.at("20s", "a").workStarted()).isEqualTo(3);
        assertThat(seen.last("a").workStarted()).isEqualTo(4);
    }

    @Test
    void conflictsAreDoneAgainUpToFiveTimes() {
        Sample always = run(service("a").recorded("1s", "2s").conflicts(1)).last("a");
        assertThat(always.conflicts()).isEqualTo(10);
        assertThat(always.checkouts()).isEqualTo(12);
        assertThat(always.failedWork()).isEqualTo(2);
        assertThat(always.workCompleted()).isZero();
        Sample some = run(service("a").even(100).conflicts(0.2)).last("a");
        assertThat(some.conflicts() / (double) some.checkouts()).isCloseTo(0.2, within(0.03));
        assertThat(some.failedWork()).isLessThan(10);
    }

    @Test
    void thoseWhoFindNothingReadyWaitInOrderUntilTheirTimeOut() {
        // Two connections, held 1 s each: the first two at once, two after 1 s, two after 2 s, the rest never.
        Seen seen = run(service("a")
                .target(2)
                .recorded("1s", "1s", "1s", "1s", "1s", "1s", "1s", "1s")
                .holds("1s")
                .waitsAtMost("2.5s"));
        Sample last = seen.last("a");
        assertThat(last.checkouts()).isEqualTo(6);
        assertThat(last.emptyEvents()).isEqualTo(6);
        assertThat(last.timeouts()).isEqualTo(2);
        assertThat(last.workCompleted()).isEqualTo(6);
        Waits waits = seen.outcome().waits();
        assertThat(waits.count()).isEqualTo(8);
        assertThat(waits.p50Nanos() / 1e9).isCloseTo(1, within(0.001));
        assertThat(waits.p99Nanos() / 1e9).isCloseTo(2.5, within(0.003)).isLessThanOrEqualTo(2.5);
        assertThat(waits.maxNanos()).isEqualTo(2_500_000_000L);
        // A wait belongs to the sample in which it ended.
        assertThat(seen.at("3s", "a").waits().maxNanos()).isEqualTo(1_000_000_000L);
        assertThat(seen.at("4s", "a").waits().maxNanos()).isEqualTo(2_500_000_000L);
        assertThat(last.waits().maxNanos()).isZero();
    }

    @Test
    void theNumbersOfWaitsCountThoseWhoDidNotWait() {
        // One checkout of a thousand waits.
        Seen seen = run(service("a").target(1).even(10).holds("50ms"));
        Waits none = seen.outcome().waits();
        assertThat(none.count()).isEqualTo(seen.last("a").checkouts()).isGreaterThan(590);
        assertThat(none.maxNanos()).isZero();
        assertThat(none.p999Nanos()).isZero();
    }
}
