package dev.reservoir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class LimitedFleetTest {
    @Test
    void allOfAFleetGetALeaseAndNoneIsLostInAnOutage() {
        LimitedFleet fleet = new LimitedFleet(40, 5);
        fleet.pass(Duration.ofSeconds(60));
        assertThat(fleet.firstLeaseNanos()).hasSize(40);
        assertThat(Collections.max(fleet.firstLeaseNanos()))
                .isLessThan((double) Duration.ofSeconds(5).toNanos());
        assertThat(fleet.failedRequests()).isZero();
        assertThat(fleet.counts().readUnits()).isPositive();
        for (LimitedFleet.Outage kind : LimitedFleet.Outage.values()) {
            long before = fleet.counts().errors();
            fleet.begin(kind);
            fleet.pass(Duration.ofSeconds(60));
            assertThat(fleet.counts().errors() > before).isEqualTo(kind != LimitedFleet.Outage.NONE);
            fleet.begin(LimitedFleet.Outage.NONE);
            fleet.pass(Duration.ofSeconds(60));
        }
        assertThat(fleet.declaredDead()).isZero();
        assertThat(fleet.heldBeyondTheLimit()).isZero();
    }

    @Test
    void aFleetThatIsCutOffFromTheBeginningHasNoLease() {
        LimitedFleet fleet = new LimitedFleet(3, 5_000);
        fleet.begin(LimitedFleet.Outage.NOTHING_ANSWERED);
        fleet.pass(Duration.ofSeconds(4));
        assertThat(fleet.firstLeaseNanos()).containsOnly(Double.POSITIVE_INFINITY);
    }
}
