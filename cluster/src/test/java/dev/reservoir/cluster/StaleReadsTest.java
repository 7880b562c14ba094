package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.model.ModelReplica;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Looks at others are reads that may be old, and two in a row may come from copies of which the second is the older one. That may
 * delay what is concluded from them; it may not make it wrong.
 */
class StaleReadsTest {
    private static final Duration LEASE = Duration.ofSeconds(60);

    /** A fleet whose reads are up to so far behind, unless they are consistent. */
    private static Fleet fleet(LeaseMode mode, int limit, Duration behind, long seed) {
        Fleet fleet = new Fleet(settings ->
                settings.permitMode(null).leaseMode(mode).limit(limit).logged(false));
        SplittableRandom random = new SplittableRandom(seed);
        fleet.table.readFrom(new ModelReplica(fleet.time::nanos, () -> random.nextLong(behind.toNanos())));
        return fleet;
    }

    private static int held(Fleet fleet) {
        return fleet.members.stream()
                .filter(member -> !member.dead)
                .mapToInt(member -> member.held.size())
                .sum();
    }

    /** Lets time pass; at every event the living hold no more than the limit. */
    private static void run(Fleet fleet, Duration duration, int limit, String what) {
        long end = fleet.time.nanos() + duration.toNanos();
        while (fleet.time.step(end)) {
            int held = held(fleet);
            if (held > limit) {
                throw new AssertionError(what + ": " + held + " held, the limit is " + limit);
            }
        }
        fleet.time.advanceTo(end);
    }

    private static void assertNobodyLivingWasDeclaredDead(Fleet fleet, String what) {
        assertThat(fleet.members)
                .as(what)
                .filteredOn(member -> !member.dead)
                .allSatisfy(
                        member -> assertThat(member.leaseStats().declaredDead()).isZero());
    }

    private static void assertMembersKnown(Fleet fleet, String what) {
        long living = fleet.members.stream().filter(member -> !member.dead).count();
        assertThat(ClusterInspectionFleet.ids(fleet.table, Fleet.ENDPOINT))
                .as(what)
                .hasSize((int) living);
    }

    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void theDeadAreTakenBackAndTheLivingAreNot(LeaseMode mode) {
        String what = mode.toString();
        Fleet fleet = fleet(mode, 200, Duration.ofSeconds(5), 1);
        fleet.join(12).forEach(member -> member.keepAt(10));
        run(fleet, Duration.ofMinutes(3), 200, what);
        assertThat(held(fleet)).isEqualTo(120);
        fleet.members.get(2).crash();
        fleet.members.get(7).crash();
        // As long as the lease, and as long as what is read is behind.
        run(fleet, LEASE.plusSeconds(5), 200, what);
        assertMembersKnown(fleet, what);
        assertThat(fleet.members.stream()
                        .mapToLong(m -> m.leaseStats().takenBack())
                        .sum())
                .isGreaterThanOrEqualTo(20);
        run(fleet, Duration.ofMinutes(5), 200, what);
        assertNobodyLivingWasDeclaredDead(fleet, what);
    }

    @Test
    void oneThatJoinsIsFoundByNameBeforeItsItemIsSeen() {
        Fleet fleet = fleet(LeaseMode.SHARE, 100, Duration.ofSeconds(10), 3);
        fleet.join(2).forEach(member -> member.keepAt(5));
        for (int i = 0; i < 20; i++) {
            fleet.join().keepAt(2);
            fleet.run(Duration.ofSeconds(7));
        }
        run(fleet, LEASE.multipliedBy(2), 100, "all have joined");
        assertNobodyLivingWasDeclaredDead(fleet, "after joining");
        assertMembersKnown(fleet, "after joining");
        assertThat(held(fleet)).isEqualTo(50);
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
                run(fleet, Duration.ofMillis(random.nextLong(90_000)), limit, what);
                if (random.nextBoolean()) {
                    fleet.members.get(1 + random.nextInt(processes - 1)).crash();
                }
                fleet.members.stream()
                        .filter(member -> !member.dead && !member.held.isEmpty())
                        .forEach(member -> member.release(random.nextInt(member.held.size())));
            }
            fleet.lostAnswers = 0;
            fleet.throttledWrites = 0;
            run(fleet, LEASE.multipliedBy(2), limit, what);
            assertMembersKnown(fleet, what);
            assertNobodyLivingWasDeclaredDead(fleet, what);
            if (mode == LeaseMode.SHARE) {
                assertThat(fleet.total())
                        .as(what)
                        .isEqualTo(fleet.sumOfShares())
                        .isBetween((long) held(fleet), (long) limit);
            }
        }
    }
}
