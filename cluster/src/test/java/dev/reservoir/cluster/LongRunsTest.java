package dev.reservoir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.cluster.protocol.StoreClock;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What showed only in fleets that ran for long. */
class LongRunsTest {
    private static Fleet leases(int limit) {
        return new Fleet(settings -> settings.permitMode(null).limit(limit));
    }

    @Test
    void aBurstThatWasReservedIsUsed() {
        Fleet fleet = new Fleet(settings -> settings.leaseMode(null));
        Fleet.Member member = fleet.join();
        member.wantPermits(900, Urgency.URGENT);
        fleet.run(Duration.ofSeconds(1));
        // They were due up to nine seconds ago, and could be had only now.
        assertThat(member.permitted).hasSize(900);
        assertThat(member.permitStats().lapsed()).isZero();
    }

    @Test
    void whatIsOnItsWayBackToTheClusterIsNotGrantedAnyMore() {
        Fleet fleet = leases(10_000);
        Fleet.Member member = fleet.join();
        member.wantLeases(100);
        fleet.run(Duration.ofSeconds(1));
        member.release(60);
        // Renewals write one item; what lies idle is given back with two.
        long end = fleet.time.nanos() + Duration.ofMinutes(1).toNanos();
        long before;
        do {
            before = member.store.counts().itemsWritten();
        } while (fleet.time.step(end) && member.store.counts().itemsWritten() < before + 2);
        assertThat(fleet.sumOfShares()).isGreaterThan(100);
        member.wantLeases(60);
        end = fleet.time.nanos() + Duration.ofSeconds(1).toNanos();
        while (fleet.time.step(end)) {
            assertThat(member.held.size()).isLessThanOrEqualTo((int) fleet.sumOfShares());
        }
        assertThat(member.held).hasSize(100);
    }

    @Test
    void nobodyIsTakenForDeadBecauseTheStoreWasAwayForAll() {
        Fleet fleet = leases(1_000);
        fleet.join(20).forEach(member -> member.wantLeases(10));
        fleet.run(Duration.ofMinutes(1));
        fleet.members.forEach(member -> member.cut = true);
        fleet.run(Duration.ofMinutes(3));
        fleet.members.forEach(member -> member.cut = false);
        fleet.run(Duration.ofMinutes(2));
        assertThat(fleet.members).allSatisfy(member -> {
            assertThat(member.leaseStats().declaredDead()).isZero();
            assertThat(member.leaseStats().takenBack()).isZero();
            assertThat(member.held).hasSize(10);
        });
        assertThat(fleet.total()).isEqualTo(fleet.sumOfShares()).isGreaterThanOrEqualTo(200);
    }

    @Test
    void afterALookAtAllEachLooksAtAFewAgain() {
        Fleet fleet = leases(1_000);
        fleet.join(40).forEach(member -> member.wantLeases(10));
        fleet.run(Duration.ofMinutes(1));
        fleet.members.get(0).crash();
        fleet.run(Duration.ofMinutes(2));
        long before = fleet.counts().itemsRead();
        fleet.run(Duration.ofMinutes(5));
        // 39 processes, about sixty looks each: one or two shards of names, the count and two others; now and then all
        // shards.
        assertThat(fleet.counts().itemsRead() - before).isLessThan(39 * 67 * 7L);
    }

    @Test
    void aFewProcessesLeaveNoSlotUnasked() {
        Fleet fleet = new Fleet(settings -> settings.leaseMode(null).burst(1));
        fleet.join(20).forEach(member -> member.wantPermits(100, Urgency.URGENT));
        fleet.run(Duration.ofSeconds(25));
        assertThat(fleet.members.stream().mapToInt(member -> member.permitted.size()))
                .allMatch(granted -> granted == 100);
        assertThat(fleet.members.stream()
                        .flatMap(member -> member.permitted.stream())
                        .max(Double::compare)
                        .orElse(0.0))
                .isLessThan(20.2);
    }

    /** Otherwise the slots of one come a little earlier than those of another, and both in the same moment. */
    @Test
    void processesWithTheSameTimeAgreeOnItHoweverLongTheyHaveListened() {
        VirtualTime time = new VirtualTime();
        StoreClock young = clock(time);
        StoreClock old = clock(time);
        for (int i = 0; i < 200; i++) {
            time.advance(137_000_000L);
            answered(old, time);
        }
        answered(young, time);
        assertThat(old.earliestMicros()).isEqualTo(young.earliestMicros());
        assertThat(old.latestMicros()).isEqualTo(young.latestMicros());
    }

    private static StoreClock clock(VirtualTime time) {
        return new StoreClock(
                time,
                () -> Instant.ofEpochSecond(Fleet.BEGIN_SECONDS, time.nanos()),
                ClusterSettings.builder(Fleet.ENDPOINT).build());
    }

    private static void answered(StoreClock clock, VirtualTime time) {
        long now = time.nanos();
        clock.answered(Fleet.BEGIN_SECONDS + now / 1_000_000_000L, now, now);
    }
}
