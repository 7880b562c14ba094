package dev.reservoir.sim.pools;

import static dev.reservoir.sim.SmallService.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.Seen;
import dev.reservoir.sim.SmallScenario;
import dev.reservoir.sim.SmallService;
import dev.reservoir.sim.result.Sample;
import org.junit.jupiter.api.Test;

class GoPoolTest {
    /** As the service {@code worker} of the scenario {@code workload-test}. */
    private static SmallService worker() {
        return service("worker")
                .target(50)
                .lives("11m", "2m", "45s")
                .closed(10, "100ms", 5)
                .holds("25ms");
    }

    private static SmallScenario workload() {
        return SmallScenario.of(worker()).lasts("5m").handshake("30ms");
    }

    @Test
    void opensFarMoreThanItNeedsBecauseCheckoutsDoNotCount() {
        Sample go = workload().run(PoolKind.GO_RESERVOIR).last("worker");
        assertThat(go.refills()).isBetween(200L, 5_000L);
        assertThat(go.discards(DiscardReason.RESERVOIR_FULL)).isGreaterThan(go.refills() - 60);
        assertThat(go.checkouts()).isBetween(14_700L, 15_000L);
        Sample ours = workload().run(PoolKind.RESERVOIR).last("worker");
        assertThat(ours.refills()).isEqualTo(50);
        assertThat(ours.allDiscards()).isZero();
        assertThat(ours.checkouts()).isGreaterThanOrEqualTo(go.checkouts());
    }

    @Test
    void opensOneAfterTheOther() {
        Seen seen = SmallScenario.of(service("a").target(20))
                .unlimited()
                .handshake("100ms")
                .run(PoolKind.GO_RESERVOIR);
        assertThat(seen.convergedAt()).isCloseTo(2, within(1e-9));
        assertThat(seen.samples("a")).allMatch(s -> s.opening() <= 1);
    }

    @Test
    void replacesAfterTheScanHasThrownAway() {
        Seen seen = SmallScenario.of(service("a").target(20).lives("30s", "0", "5s"))
                .unlimited()
                .sampledEvery("100ms")
                .run(PoolKind.GO_RESERVOIR);
        Sample last = seen.last("a");
        assertThat(last.discards(DiscardReason.EXPIRING_SOON_ON_SCAN)).isGreaterThanOrEqualTo(20);
        int least = seen.samples("a").stream()
                .filter(s -> s.atNanos() > 20_000_000_000L)
                .mapToInt(Sample::usable)
                .min()
                .orElse(0);
        assertThat(least).isLessThan(15);
    }

    @Test
    void oneThatIsTooOldMakesACheckoutFindItEmptyAlthoughOthersAreReady() {
        // Between two scans, in the half second in which the first connections are too old and not yet found.
        Seen seen = SmallScenario.of(
                        service("a").target(20).lives("10.5s", "0", "0").even(20))
                .unlimited()
                .lasts("12s")
                .run(PoolKind.GO_RESERVOIR);
        Sample last = seen.last("a");
        assertThat(last.discards(DiscardReason.EXPIRED_ON_CHECKOUT)).isPositive();
        assertThat(last.emptyEvents()).isPositive();
        // The pool always had other connections.
        assertThat(seen.outcome().waits().maxNanos()).isZero();
    }

    @Test
    void pausesAfterAFailure() {
        Seen seen = SmallScenario.of(service("a").target(5))
                .unlimited()
                .cap(2)
                .lasts("10s")
                .run(PoolKind.GO_RESERVOIR);
        // Each try takes 20 ms for the answer and 250 ms of pause.
        assertThat(seen.last("a").refused()).isBetween(35L, 38L);
    }
}
