package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The store throttles writes and answers reads. Everybody sees that nobody writes, and nobody may conclude from it that somebody
 * is dead.
 */
class WriteOutageTest {
    private static final Duration LEASE = Duration.ofSeconds(60);

    private static Fleet fleet(LeaseMode mode, int limit) {
        return new Fleet(settings ->
                settings.permitMode(null).leaseMode(mode).limit(limit).logged(false));
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

    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void nobodyLivingIsDeclaredDeadHoweverLongItLasts(LeaseMode mode) {
        for (int seconds : new int[] {20, 25, 30, 35, 40, 60, 120}) {
            String what = mode + ", " + seconds + " s";
            Fleet fleet = fleet(mode, 200);
            fleet.join(20).forEach(member -> member.keepAt(12));
            fleet.run(Duration.ofSeconds(100));
            fleet.throttledWrites = 1;
            run(fleet, Duration.ofSeconds(seconds), 200, what);
            fleet.throttledWrites = 0;
            run(fleet, LEASE.multipliedBy(2), 200, what);
            assertNobodyLivingWasDeclaredDead(fleet, what);
            assertThat(held(fleet)).as(what).isGreaterThan(190);
        }
    }

    /** There, processes write so rarely that all are overdue soon, while those who look are still sure of themselves. */
    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void norInALargeFleet(LeaseMode mode) {
        for (int seconds : new int[] {15, 20, 25, 30, 40}) {
            String what = mode + ", " + seconds + " s";
            Fleet fleet = fleet(mode, 2_000);
            fleet.join(300).forEach(member -> member.wantLeases(3));
            fleet.run(Duration.ofSeconds(150));
            assertThat(held(fleet)).as(what).isEqualTo(900);
            fleet.throttledWrites = 1;
            fleet.run(Duration.ofSeconds(seconds));
            fleet.throttledWrites = 0;
            fleet.run(LEASE);
            assertNobodyLivingWasDeclaredDead(fleet, what);
        }
    }

    @Test
    void whoDiesDuringItIsTakenBackAfterIt() {
        Fleet fleet = fleet(LeaseMode.SHARE, 200);
        fleet.join(10).forEach(member -> member.wantLeases(10));
        fleet.run(Duration.ofSeconds(100));
        fleet.throttledWrites = 1;
        fleet.run(Duration.ofSeconds(20));
        fleet.members.get(4).crash();
        fleet.run(Duration.ofSeconds(60));
        fleet.throttledWrites = 0;
        fleet.run(LEASE);
        assertNobodyLivingWasDeclaredDead(fleet, "after one crash");
        assertThat(fleet.total()).isEqualTo(fleet.sumOfShares()).isBetween(90L, 108L);
    }

    /** Outages of any length one after the other, in some of which a few writes get through, crashes, and changing wants. */
    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void randomHistories(LeaseMode mode) {
        for (long seed = 0; seed < 25; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            String what = mode + ", seed " + seed;
            int limit = 40 + random.nextInt(100);
            Fleet fleet = fleet(mode, limit);
            int processes = 2 + random.nextInt(14);
            fleet.join(processes).forEach(member -> member.keepAt(1 + random.nextInt(2 * limit / processes)));
            run(fleet, Duration.ofSeconds(10 + random.nextInt(80)), limit, what);
            for (int outage = 0; outage < 4; outage++) {
                fleet.throttledWrites = random.nextInt(4) == 0 ? 0.6 : 1;
                run(fleet, Duration.ofMillis(random.nextLong(90_000)), limit, what);
                if (random.nextInt(4) == 0
                        && fleet.members.stream().filter(member -> !member.dead).count() > 1) {
                    fleet.members.get(random.nextInt(processes)).crash();
                }
                run(fleet, Duration.ofMillis(random.nextLong(30_000)), limit, what);
                fleet.throttledWrites = 0;
                run(fleet, Duration.ofMillis(random.nextLong(90_000)), limit, what);
                fleet.members.stream()
                        .filter(member -> !member.dead && !member.held.isEmpty())
                        .forEach(member -> member.release(random.nextInt(member.held.size())));
            }
            assertNobodyLivingWasDeclaredDead(fleet, what);
            run(fleet, LEASE.multipliedBy(2), limit, what);
            assertNobodyLivingWasDeclaredDead(fleet, what);
            if (mode == LeaseMode.SHARE) {
                assertThat(fleet.total())
                        .as(what)
                        .isEqualTo(fleet.sumOfShares())
                        .isBetween((long) held(fleet), (long) limit);
            }
            assertThat(fleet.members)
                    .as(what)
                    .filteredOn(member -> !member.dead)
                    .allSatisfy(member -> assertThat(member.budget.stats().members())
                            .isEqualTo((int) fleet.members.stream()
                                    .filter(other -> !other.dead)
                                    .count()));
        }
    }
}
