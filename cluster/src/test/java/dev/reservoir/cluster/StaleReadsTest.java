package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.inspect.InspectedFleet;
import dev.reservoir.cluster.model.ModelReplica;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Looks at others are reads that may be old, and two in a row may come from copies of which the second is the older
 * one. That may delay what is concluded from them; it may not make it wrong.
 */
class StaleReadsTest {
    private static final Duration LEASE = Duration.ofSeconds(60);

    /** A fleet whose reads are up to so far behind, unless they are consistent. */
    private static Fleet fleet(LeaseMode mode, int limit, Duration behind, long seed) {
        Fleet fleet = Fleet.ofLeases(mode, limit);
        SplittableRandom random = new SplittableRandom(seed);
        fleet.table.readFrom(new ModelReplica(fleet.time::nanos, () -> random.nextLong(behind.toNanos())));
        return fleet;
    }

    private static void assertMembersKnown(Fleet fleet, String what) {
        assertThat(InspectedFleet.ids(fleet.table, Fleet.ENDPOINT)).as(what).hasSize((int)
                fleet.living().count());
    }

    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void theDeadAreTakenBackAndTheLivingAreNot(LeaseMode mode) {
        String what = mode.toString();
        Fleet fleet = fleet(mode, 200, Duration.ofSeconds(5), 1);
        fleet.join(12).forEach(member -> member.keepAt(10));
        fleet.runWithin(200, Duration.ofMinutes(3), what);
        assertThat(fleet.held()).isEqualTo(120);
        fleet.members.get(2).crash();
        fleet.members.get(7).crash();
        // As long as the lease, and as long as what is read is behind.
        fleet.runWithin(200, LEASE.plusSeconds(5), what);
        assertMembersKnown(fleet, what);
        assertThat(fleet.members.stream()
                        .mapToLong(m -> m.leaseStats().takenBack())
                        .sum())
                .isGreaterThanOrEqualTo(20);
        fleet.runWithin(200, Duration.ofMinutes(5), what);
        fleet.assertNobodyLivingWasDeclaredDead(what);
    }

    @Test
    void oneThatJoinsIsFoundByNameBeforeItsItemIsSeen() {
        Fleet fleet = fleet(LeaseMode.SHARE, 100, Duration.ofSeconds(10), 3);
        fleet.join(2).forEach(member -> member.keepAt(5));
        for (int i = 0; i < 20; i++) {
            fleet.join().keepAt(2);
            fleet.run(Duration.ofSeconds(7));
        }
        fleet.runWithin(100, LEASE.multipliedBy(2), "all have joined");
        fleet.assertNobodyLivingWasDeclaredDead("after joining");
        assertMembersKnown(fleet, "after joining");
        assertThat(fleet.held()).isEqualTo(50);
    }

    /** Reads that are old, answers that are lost, writes that are throttled, crashes, and wants that change. */
    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void randomHistories(LeaseMode mode) {
        for (long seed = 0; seed < 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            String what = mode + ", seed " + seed;
            int limit = 40 + random.nextInt(100);
            Fleet fleet = fleet(mode, limit, Duration.ofMillis(1 + random.nextLong(8_000)), seed);
            int processes = 3 + random.nextInt(10);
            fleet.join(processes).forEach(member -> member.keepAt(1 + random.nextInt(2 * limit / processes)));
            for (int step = 0; step < 5; step++) {
                fleet.lostAnswers = random.nextInt(3) == 0 ? 0.05 : 0;
                fleet.throttledWrites = random.nextInt(3) == 0 ? 0.5 : 0;
                fleet.runWithin(limit, Duration.ofMillis(random.nextLong(90_000)), what);
                if (random.nextBoolean()) {
                    fleet.members.get(1 + random.nextInt(processes - 1)).crash();
                }
                fleet.living()
                        .filter(member -> !member.held.isEmpty())
                        .forEach(member -> member.release(random.nextInt(member.held.size())));
            }
            fleet.lostAnswers = 0;
            fleet.throttledWrites = 0;
            fleet.runWithin(limit, LEASE.multipliedBy(2), what);
            assertMembersKnown(fleet, what);
            fleet.assertNobodyLivingWasDeclaredDead(what);
            if (mode == LeaseMode.SHARE) {
                fleet.assertBooksRight(limit, what);
            }
        }
    }
}
