package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.protocol.ItemKeys;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that cannot write stops trusting what it holds before anybody can have taken it back. */
class SurenessTest {
    private static final Duration LEASE = Duration.ofSeconds(60);

    private static Fleet fleet(LeaseMode mode) {
        return new Fleet(settings -> settings.permitMode(null)
                .leaseMode(mode)
                .limit(200)
                .whenAway(WhenAway.STOP)
                .logged(false));
    }

    private static boolean isMember(Fleet fleet, String id) {
        return fleet.table.item(ItemKeys.member(Fleet.ENDPOINT, id)) != null;
    }

    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void oneWhoseWritesAreThrottledGivesNothingOutLongBeforeItIsDead(LeaseMode mode) {
        for (int victim = 0; victim < 8; victim++) {
            String what = mode + ", process " + victim;
            Fleet fleet = fleet(mode);
            fleet.join(10).forEach(member -> member.wantLeases(10));
            fleet.run(Duration.ofSeconds(100));
            Fleet.Member late = fleet.members.get(victim);
            String id = late.budget.stats().member();
            late.throttled = true;
            double began = fleet.seconds();
            double granted = 0;
            double gone = Double.POSITIVE_INFINITY;
            for (int i = 0; i < 700; i++) {
                int before = late.held.size();
                if (before > 0) {
                    late.release(1);
                    late.wantLeases(1);
                    granted = late.held.size() == before ? fleet.seconds() - began : granted;
                }
                fleet.run(Duration.ofMillis(100));
                if (!isMember(fleet, id)) {
                    gone = Math.min(gone, fleet.seconds() - began);
                }
            }
            // It wrote up to 8 s before, and trusts that for 33 s.
            assertThat(granted).as(what).isBetween(24.0, 33.1);
            assertThat(gone).as(what).isBetween(granted + 1, (double) LEASE.toSeconds());
        }
    }
}
