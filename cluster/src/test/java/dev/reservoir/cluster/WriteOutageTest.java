package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The store throttles writes and answers reads. Everybody sees that nobody writes, and nobody may conclude from it that
 * somebody is dead.
 */
class WriteOutageTest {
    private static final Duration LEASE = Duration.ofSeconds(60);

    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void nobodyLivingIsDeclaredDeadHoweverLongItLasts(LeaseMode mode) {
        for (int seconds : new int[] {20, 25, 30, 35, 40, 60, 120}) {
            String what = mode + ", " + seconds + " s";
            Fleet fleet = Fleet.ofLeases(mode, 200);
            fleet.join(20).forEach(member -> member.keepAt(12));
            fleet.run(Duration.ofSeconds(100));
            fleet.throttledWrites = 1;
            fleet.runWithin(200, Duration.ofSeconds(seconds), what);
            fleet.throttledWrites = 0;
            fleet.runWithin(200, LEASE.multipliedBy(2), what);
            fleet.assertNobodyLivingWasDeclaredDead(what);
            assertThat(fleet.held()).as(what).isGreaterThan(190);
        }
    }

    /**
     * There, processes write so rarely that all are overdue soon, while those who look are still sure of themselves.
     */
    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void norInALargeFleet(LeaseMode mode) {
        for (int seconds : new int[] {15, 20, 25, 30, 40}) {
            String what = mode + ", " + seconds + " s";
            Fleet fleet = Fleet.ofLeases(mode, 2_000);
            fleet.join(300).forEach(member -> member.wantLeases(3));
            fleet.run(Duration.ofSeconds(150));
            assertThat(fleet.held()).as(what).isEqualTo(900);
            fleet.throttledWrites = 1;
            fleet.run(Duration.ofSeconds(seconds));
            fleet.throttledWrites = 0;
            fleet.run(LEASE);
            fleet.assertNobodyLivingWasDeclaredDead(what);
        }
    }

    @Test
    void whoDiesDuringItIsTakenBackAfterIt() {
        Fleet fleet = Fleet.ofLeases(LeaseMode.SHARE, 200);
        fleet.join(10).forEach(member -> member.wantLeases(10));
        fleet.run(Duration.ofSeconds(100));
        fleet.throttledWrites = 1;
        fleet.run(Duration.ofSeconds(20));
        fleet.members.get(4).crash();
        fleet.run(Duration.ofSeconds(60));
        fleet.throttledWrites = 0;
        fleet.run(LEASE);
        fleet.assertNobodyLivingWasDeclaredDead("after one crash");
        assertThat(fleet.total()).isEqualTo(fleet.sumOfShares()).isBetween(90L, 108L);
    }

    /**
     * Outages of any length one after the other, in some of which a few writes get through, crashes, and changing
     * wants.
     */
    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void randomHistories(LeaseMode mode) {
        for (long seed = 0; seed < 25; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            String what = mode + ", seed " + seed;
            int limit = 40 + random.nextInt(100);
            Fleet fleet = Fleet.ofLeases(mode, limit);
            int processes = 2 + random.nextInt(14);
            fleet.join(processes).forEach(member -> member.keepAt(1 + random.nextInt(2 * limit / processes)));
            fleet.runWithin(limit, Duration.ofSeconds(10 + random.nextInt(80)), what);
            for (int outage = 0; outage < 4; outage++) {
                fleet.throttledWrites = random.nextInt(4) == 0 ? 0.6 : 1;
                fleet.runWithin(limit, Duration.ofMillis(random.nextLong(90_000)), what);
                if (random.nextInt(4) == 0 && fleet.living().count() > 1) {
                    fleet.members.get(random.nextInt(processes)).crash();
                }
                fleet.runWithin(limit, Duration.ofMillis(random.nextLong(30_000)), what);
                fleet.throttledWrites = 0;
                fleet.runWithin(limit, Duration.ofMillis(random.nextLong(90_000)), what);
                fleet.living()
                        .filter(member -> !member.held.isEmpty())
                        .forEach(member -> member.release(random.nextInt(member.held.size())));
            }
            fleet.assertNobodyLivingWasDeclaredDead(what);
            fleet.runWithin(limit, LEASE.multipliedBy(2), what);
            fleet.assertNobodyLivingWasDeclaredDead(what);
            if (mode == LeaseMode.SHARE) {
                fleet.assertBooksRight(limit, what);
            }
            assertThat(fleet.living())
                    .as(what)
                    .allSatisfy(member -> assertThat(member.budget.stats().members())
                            .isEqualTo((int) fleet.living().count()));
        }
    }
}
