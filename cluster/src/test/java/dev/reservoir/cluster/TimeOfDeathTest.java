package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.membership.FailureDetector;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Item;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * When a member counts as dead: only after 40 s of silence, of which an observer counts none from before it was sure of
 * itself.
 */
class TimeOfDeathTest {
    private static final Duration LEASE = Duration.ofSeconds(60);

    /** After so many seconds without a write a member is dead, by the settings of {@link FailureDetector}. */
    private static final double DEAD_SECONDS = 40;

    /** A member that cannot write any more, watched from outside. */
    private static final class Victim {
        private final Fleet fleet;
        private final Fleet.Member member;
        private final String id;
        private long beat = -1;
        double lastWrite = Double.NaN;
        double lastGrant = Double.NaN;
        double gone = Double.NaN;

        Victim(Fleet fleet, Fleet.Member member) {
            this.fleet = fleet;
            this.member = member;
            this.id = member.budget.stats().member();
        }

        /** Looks ten times a second. The member lets a lease go each time, and asks for another. */
        void run(Duration duration) {
            double end = fleet.seconds() + duration.toSeconds();
            while (fleet.seconds() < end && Double.isNaN(gone)) {
                int before = member.held.size();
                if (before > 0) {
                    member.release(1);
                    member.wantLeases(1);
                    lastGrant = member.held.size() == before ? fleet.seconds() : lastGrant;
                }
                fleet.run(Duration.ofMillis(100));
                Item item = fleet.table.item(ItemKeys.member(Fleet.ENDPOINT, id));
                if (item == null) {
                    gone = fleet.seconds();
                } else if (item.number(ItemKeys.BEAT, 0) != beat) {
                    beat = item.number(ItemKeys.BEAT, 0);
                    lastWrite = fleet.seconds();
                }
            }
        }
    }

    /**
     * Two others die one after the other. So those who live have written at short intervals for long when the victim
     * falls silent, and nothing but its silence decides.
     */
    private static Victim silentWhileOthersDie(LeaseMode mode, int number) {
        Fleet fleet = new Fleet(settings -> settings.permitMode(null)
                .leaseMode(mode)
                .limit(200)
                .whenAway(WhenAway.STOP)
                .logged(false));
        fleet.join(6).forEach(member -> member.wantLeases(10));
        fleet.run(Duration.ofSeconds(100));
        fleet.members.get((number + 1) % 6).crash();
        Victim victim = new Victim(fleet, fleet.members.get(number));
        victim.run(Duration.ofSeconds(20));
        fleet.members.get((number + 2) % 6).crash();
        victim.run(Duration.ofSeconds(5));
        victim.member.throttled = true;
        victim.run(Duration.ofSeconds(90));
        return victim;
    }

    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void nobodyIsDeadEarlierBecauseOthersDie(LeaseMode mode) {
        for (int number = 0; number < 6; number++) {
            Victim victim = silentWhileOthersDie(mode, number);
            // A tenth of a second is the distance between two looks of this test.
            assertThat(victim.gone - victim.lastWrite)
                    .as("%s, process %d", mode, number)
                    .isBetween(DEAD_SECONDS - 0.1, (double) LEASE.toSeconds());
        }
    }

    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void norGivesAnybodyLeasesOutThatOthersHaveTakenBack(LeaseMode mode) {
        for (int number = 0; number < 6; number++) {
            Victim victim = silentWhileOthersDie(mode, number);
            assertThat(victim.gone - victim.lastGrant)
                    .as("%s, process %d", mode, number)
                    .isGreaterThan(1);
        }
    }

    /**
     * Writes come back for all but one. The others have seen it silent for long, but they could not write then either.
     */
    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void whoCanWriteAgainLaterThanTheOthersIsNotDead(LeaseMode mode) {
        for (int outage : new int[] {40, 60, 120}) {
            for (int later : new int[] {15, 25, 35}) {
                String what = mode + ", " + outage + " s, " + later + " s more for one";
                Fleet fleet = Fleet.ofLeases(mode, 200);
                fleet.join(6).forEach(member -> member.keepAt(10));
                fleet.run(Duration.ofSeconds(100));
                comeBackOneAfterTheOthers(fleet, outage, later);
                fleet.assertNobodyLivingWasDeclaredDead(what);
                assertThat(fleet.held()).as(what).isEqualTo(60);
            }
        }
    }

    /** There, members write so rarely that one can be silent for 40 s while its observer is still sure of itself. */
    @ParameterizedTest
    @EnumSource(LeaseMode.class)
    void norInALargeFleet(LeaseMode mode) {
        Fleet fleet = Fleet.ofLeases(mode, 2_000);
        fleet.join(300).forEach(member -> member.wantLeases(3));
        fleet.run(Duration.ofSeconds(150));
        for (int outage : new int[] {20, 25}) {
            comeBackOneAfterTheOthers(fleet, outage, 5);
            fleet.assertNobodyLivingWasDeclaredDead(mode + ", " + outage + " s");
        }
    }

    private static void comeBackOneAfterTheOthers(Fleet fleet, int outageSeconds, int laterSeconds) {
        Fleet.Member last = fleet.members.get(0);
        fleet.throttledWrites = 1;
        fleet.run(Duration.ofSeconds(outageSeconds));
        last.throttled = true;
        fleet.throttledWrites = 0;
        fleet.run(Duration.ofSeconds(laterSeconds));
        last.throttled = false;
        fleet.run(LEASE);
    }
}
