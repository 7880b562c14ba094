package dev.reservoir.cluster.leases;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.Fleet;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.inspect.InspectedFleet;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Write;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Leases that lie in shards come back to the count, whoever has died or left. */
class UnclaimedLeasesTest {
    private static final int LIMIT = 10_000;

    /** Leaves this number of leases unclaimed in this shard, as the last process of a fleet does. */
    private static void lay(Fleet fleet, int shard, int leases) {
        fleet.table.write(
                Write.update(ItemKeys.members(Fleet.ENDPOINT, shard), List.of(Change.add(ItemKeys.FREE, leases))));
        fleet.table.write(Write.update(ItemKeys.count(Fleet.ENDPOINT), List.of(Change.add(ItemKeys.TOTAL, leases))));
    }

    private static long lying(Fleet fleet) {
        long[] sum = {0};
        fleet.table.forEach(ItemKeys.MEMBERS_PREFIX, (key, item) -> sum[0] += item.number(ItemKeys.FREE, 0));
        return sum[0];
    }

    @Test
    void whateverTheNextProcessHolds() {
        List<UnaryOperator<ClusterSettings.Builder>> modes = List.of(
                settings -> settings.permitMode(null),
                settings -> settings.permitMode(null).leaseMode(LeaseMode.COUNTER),
                settings -> settings.leaseMode(null));
        for (UnaryOperator<ClusterSettings.Builder> mode : modes) {
            Fleet fleet = new Fleet(settings -> mode.apply(settings).logged(false));
            for (int shard = 0; shard < ItemKeys.SHARDS; shard++) {
                lay(fleet, shard, 10 + shard);
            }
            fleet.join(3);
            fleet.run(Duration.ofSeconds(30));
            assertThat(lying(fleet)).isZero();
            assertThat(fleet.total()).isEqualTo(fleet.sumOfShares()).isZero();
        }
    }

    @Test
    void atOnceWhereOthersWantThem() {
        Fleet fleet = new Fleet(settings -> settings.permitMode(null).limit(100).logged(false));
        for (int shard = 0; shard < ItemKeys.SHARDS; shard++) {
            lay(fleet, shard, 6);
        }
        fleet.join(2).forEach(member -> member.keepAt(40));
        fleet.run(Duration.ofSeconds(12));
        assertThat(fleet.members).allSatisfy(member -> assertThat(member.held).hasSize(40));
        assertThat(lying(fleet)).isZero();
    }

    /** Three hundred end at once, meet at the count, and lay what they had into the shards. */
    @Test
    void afterAFleetHasEndedAtOnce() {
        Fleet fleet = Fleet.limited(settings -> settings.permitMode(null).logged(false));
        fleet.join(300).forEach(member -> member.wantLeases(20));
        fleet.run(Duration.ofMinutes(1));
        assertThat(fleet.total()).isGreaterThanOrEqualTo(6_000);
        fleet.members.forEach(member -> {
            member.release(member.held.size());
            var unused = member.budget.leave();
        });
        fleet.run(Duration.ofSeconds(6));
        assertThat(InspectedFleet.ids(fleet.table, Fleet.ENDPOINT)).isEmpty();
        assertThat(fleet.total())
                .isEqualTo(fleet.sumOfShares())
                .isEqualTo(lying(fleet))
                .isPositive();
        Fleet.Member next = fleet.join();
        next.wantLeases(LIMIT);
        fleet.run(Duration.ofSeconds(30));
        next.wantLeases(LIMIT - next.held.size());
        fleet.run(Duration.ofSeconds(30));
        assertThat(next.held).hasSize(LIMIT);
        assertThat(lying(fleet)).isZero();
    }
}
