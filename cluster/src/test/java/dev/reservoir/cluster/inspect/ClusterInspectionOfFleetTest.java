package dev.reservoir.cluster.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.Fleet;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.inspect.ClusterInspectionReport.Finding;
import dev.reservoir.cluster.inspect.ClusterRepair.Outcome;
import dev.reservoir.cluster.model.ModelStore;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Permits.Urgency;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Inspection and repair beside processes that run the real protocols. */
class ClusterInspectionOfFleetTest {
    private Fleet fleet;

    private void start(LeaseMode mode) {
        fleet = new Fleet(settings -> settings.leaseMode(mode).limit(2_000).leaseTime(Duration.ofSeconds(30)));
    }

    private ClusterInspection inspection(LeaseMode mode) {
        ClusterSettings settings = ClusterSettings.builder(Fleet.ENDPOINT)
                .leaseMode(mode)
                .limit(2_000)
                .leaseTime(Duration.ofSeconds(30))
                .build();
        ModelStore store = new ModelStore(fleet.table, fleet.time, () -> 6_000_000L, () -> false);
        return new ClusterInspection(
                settings,
                store,
                store,
                fleet.time,
                () -> Instant.ofEpochSecond(Fleet.BEGIN_SECONDS, fleet.time.nanos()),
                this::until);
    }

    private <T> T until(CompletionStage<T> stage, long maxNanos) {
        return InspectedFleet.until(fleet.time, stage, maxNanos);
    }

    private static Outcome repaired(ClusterInspection inspection) {
        ClusterRepair repair = new ClusterRepair(inspection, new SplittableRandom(7), null);
        return repair.apply(repair.plan((silent, left) -> {}));
    }

    @ParameterizedTest
    @EnumSource
    void theBooksOfAFleetThatWorksAreRightWheneverTheyAreRead(LeaseMode mode) {
        start(mode);
        List<Fleet.Member> all = fleet.join(12);
        SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < 150; i++) {
            Fleet.Member one = all.get(random.nextInt(all.size()));
            one.wantLeases(random.nextInt(40));
            one.wantPermits(random.nextInt(20), Urgency.NORMAL);
            Fleet.Member other = all.get(random.nextInt(all.size()));
            other.release(other.held.size() / 3);
            fleet.run(Duration.ofMillis(random.nextInt(400)));

            ClusterInspectionReport report = inspection(mode).read();

            assertThat(report.findings()).filteredOn(Finding::wrong).isEmpty();
        }
        fleet.run(Duration.ofSeconds(30));

        ClusterInspectionReport report = inspection(mode).read();
        assertThat(report.members()).hasSize(12);
        assertThat(report.findings()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aFleetThatDiedAsAWholeIsTakenBack(LeaseMode mode) {
        start(mode);
        fleet.join(5).forEach(member -> member.wantLeases(130));
        fleet.run(Duration.ofSeconds(10));
        fleet.members.forEach(Fleet.Member::crash);

        Outcome outcome = repaired(inspection(mode));

        assertThat(outcome.left()).isEmpty();
        assertThat(outcome.report().findings()).isEmpty();
        assertThat(outcome.report().members()).isEmpty();
        assertThat(fleet.total()).isZero();
        assertThat(fleet.table.items().keySet()).noneMatch(key -> key.startsWith("lease#"));
        var counter = fleet.table.item("lease_counter#" + Fleet.ENDPOINT);
        assertThat(counter == null ? 0 : counter.number(ItemKeys.ACTIVE, -1)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aProcessThatOnlySleptGetsBackWhatTheRepairTook(LeaseMode mode) {
        start(mode);
        Fleet.Member one = fleet.join();
        one.keepAt(150);
        fleet.run(Duration.ofSeconds(10));
        one.cut = true;

        Outcome outcome = repaired(inspection(mode));
        one.cut = false;
        fleet.run(Duration.ofMinutes(3));

        assertThat(outcome.done()).isNotEmpty();
        ClusterInspectionReport report = inspection(mode).read();
        assertThat(report.findings()).isEmpty();
        assertThat(report.members()).hasSize(1);
        assertThat(one.held).hasSize(150);
        assertThat(one.leaseStats().active()).isBetween(150L, 200L);
    }

    @ParameterizedTest
    @EnumSource(names = "SHARE")
    void aWrongCountIsSetRightWhileTheFleetWorks(LeaseMode mode) {
        start(mode);
        fleet.join(8).forEach(member -> member.keepAt(60));
        fleet.run(Duration.ofSeconds(5));
        fleet.table.write(Write.update(ItemKeys.count(Fleet.ENDPOINT), List.of(Change.add(ItemKeys.TOTAL, 137))));
        fleet.members.forEach(member -> member.release(20));

        Outcome outcome = repaired(inspection(mode));
        fleet.run(Duration.ofSeconds(60));

        assertThat(outcome.done())
                .extracting(ClusterRepairStep::kind)
                .containsExactly(ClusterRepairStep.Kind.SET_COUNT);
        assertThat(fleet.total()).isEqualTo(fleet.sumOfShares());
    }
}
