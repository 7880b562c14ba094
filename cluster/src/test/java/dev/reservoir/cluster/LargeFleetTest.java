package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.inspect.InspectedFleet;
import dev.reservoir.cluster.store.StoreCounts;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A thousand processes on one budget, on a table with the limits and prices of DynamoDB. */
class LargeFleetTest {
    private static final int MANY = 1_000;
    private static final Duration LEASE = Duration.ofSeconds(60);

    /** On-demand list prices of us-east-1, in dollars for a unit. */
    private static final double WRITE_PRICE = 0.625e-6;

    private static final double READ_PRICE = 0.125e-6;
    private static final double SECONDS_A_MONTH = 730 * 3_600;

    private static Fleet fleet() {
        return Fleet.limited(settings -> settings.permitMode(null).logged(false));
    }

    /** A fleet whose processes start within a second. Each of them wants {@code each} leases. */
    private static Fleet started(int processes, int each) {
        Fleet fleet = fleet();
        SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < processes; i++) {
            fleet.time.schedule(
                    random.nextLong(1_000_000_000L), () -> fleet.join().keepAt(each));
        }
        return fleet;
    }

    private static void assertBooksRight(Fleet fleet) {
        assertThat(fleet.total()).isEqualTo(fleet.sumOfShares()).isLessThanOrEqualTo(10_000);
    }

    private static StoreCounts counts(Fleet fleet) {
        return fleet.living().map(member -> member.store.counts()).reduce(StoreCounts.NONE, StoreCounts::plus);
    }

    /** What those who live asked of the store in this time. */
    private static StoreCounts during(Fleet fleet, Duration duration) {
        StoreCounts before = counts(fleet);
        fleet.run(duration);
        StoreCounts after = counts(fleet);
        return new StoreCounts(
                after.calls() - before.calls(),
                after.errors() - before.errors(),
                after.throttled() - before.throttled(),
                after.conflicts() - before.conflicts(),
                after.itemsRead() - before.itemsRead(),
                after.itemsWritten() - before.itemsWritten(),
                after.readUnits() - before.readUnits(),
                after.writeUnits() - before.writeUnits());
    }

    @Test
    void aThousandThatStartTogetherAllHaveALeaseWithinFiveSeconds() {
        for (int each : List.of(1, 5, 8)) {
            Fleet fleet = started(MANY, each);
            fleet.run(Duration.ofSeconds(7));
            assertThat(fleet.members).hasSize(MANY).allSatisfy(member -> {
                assertThat(member.firstLeaseNanos)
                        .isBetween(0L, Duration.ofSeconds(5).toNanos());
                assertThat(member.refusedLeases).isZero();
            });
            fleet.run(Duration.ofSeconds(60));
            assertBooksRight(fleet);
            assertThat(fleet.members)
                    .allSatisfy(member -> assertThat(member.held.size()).isGreaterThanOrEqualTo(each));
        }
    }

    @Test
    void readsAndWritesOfAProcessDoNotGrowWithTheFleetAndAThousandCostLittle() {
        double readsBefore = Double.MAX_VALUE;
        double writesBefore = Double.MAX_VALUE;
        double dollars = 0;
        for (int processes : List.of(10, 100, MANY)) {
            Fleet fleet = started(processes, 5);
            fleet.run(Duration.ofMinutes(3));
            Duration idle = Duration.ofMinutes(10);
            StoreCounts counts = during(fleet, idle);
            double reads = counts.readUnits() / idle.toSeconds() / processes;
            double writes = counts.writeUnits() / idle.toSeconds() / processes;
            dollars = (reads * READ_PRICE + writes * WRITE_PRICE) * processes * SECONDS_A_MONTH;
            assertThat(reads).isLessThanOrEqualTo(readsBefore * 1.05);
            assertThat(writes).isLessThanOrEqualTo(writesBefore * 1.05);
            assertThat(counts.errors()).isZero();
            fleet.assertNobodyLivingWasDeclaredDead("all who live");
            readsBefore = reads;
            writesBefore = writes;
        }
        assertThat(dollars).isLessThan(150);
    }

    @Test
    void afterAnOutageOfAMinuteAllIsCalmWithinTenSeconds() {
        for (boolean writesOnly : List.of(true, false)) {
            Fleet fleet = started(MANY, 5);
            fleet.run(Duration.ofMinutes(2));
            StoreCounts quiet = during(fleet, Duration.ofSeconds(10));
            outage(fleet, writesOnly, true);
            StoreCounts meanwhile = during(fleet, Duration.ofSeconds(60));
            outage(fleet, writesOnly, false);
            fleet.run(Duration.ofSeconds(10));
            StoreCounts after = during(fleet, Duration.ofSeconds(10));
            assertThat(meanwhile.readUnits()).isLessThan(10 * 6 * quiet.readUnits());
            assertThat(after.errors()).isZero();
            assertThat(after.readUnits()).isLessThan(2 * quiet.readUnits());
            assertThat(after.writeUnits()).isLessThan(3 * quiet.writeUnits());
            fleet.run(LEASE.multipliedBy(2));
            fleet.assertNobodyLivingWasDeclaredDead("all who live");
            assertBooksRight(fleet);
        }
    }

    private static void outage(Fleet fleet, boolean writesOnly, boolean begins) {
        if (writesOnly) {
            fleet.throttledWrites = begins ? 1 : 0;
        } else {
            fleet.members.forEach(member -> member.cut = begins);
        }
    }

    @Test
    void oneThatDiesIsTakenBackWithinTheLeaseTimeByFewWithLittleReading() {
        Fleet fleet = started(MANY, 5);
        fleet.run(Duration.ofMinutes(3));
        StoreCounts quiet = during(fleet, LEASE.multipliedBy(10));
        fleet.members.get(17).crash();
        fleet.members.get(400).crash();
        StoreCounts counts = during(fleet, LEASE);
        assertThat(fleet.total()).isEqualTo(fleet.sumOfShares());
        assertThat(fleet.living()
                        .mapToLong(member -> member.leaseStats().takenBack())
                        .sum())
                .isGreaterThanOrEqualTo(10);
        assertThat(counts.itemsRead()).isLessThan(quiet.itemsRead() / 10 * 12 / 10);
        assertThat(counts.conflicts()).isZero();
        fleet.assertNobodyLivingWasDeclaredDead("all who live");
    }

    @Test
    void aCrashOfAlmostEverybodyIsCleanedUpWithinTwoLeaseTimes() {
        for (int left : List.of(1, 100)) {
            Fleet fleet = started(MANY, 5);
            fleet.run(Duration.ofMinutes(3));
            fleet.members.stream().skip(left).forEach(Fleet.Member::crash);
            StoreCounts counts = during(fleet, LEASE.multipliedBy(2));
            assertThat(fleet.total()).isEqualTo(fleet.sumOfShares()).isLessThanOrEqualTo(left * 8L);
            assertThat(InspectedFleet.ids(fleet.table, Fleet.ENDPOINT)).hasSize(left);
            assertThat(counts.itemsRead()).isLessThan(60L * MANY);
            fleet.assertNobodyLivingWasDeclaredDead("all who live");
        }
    }
}
