package dev.reservoir.cluster.leases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cluster.Fleet;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.ModesKit;
import dev.reservoir.cluster.WhenAway;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Leases.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ShareLeasesTest {
    private static final Duration LEASE = Duration.ofSeconds(60);

    private static Fleet fleet(int limit) {
        return new Fleet(settings -> settings.permitMode(null).limit(limit));
    }

    private static void assertBooksRight(Fleet fleet) {
        assertThat(fleet.total()).isEqualTo(fleet.sumOfShares());
    }

    @Test
    void aShareComesInOneWriteAndLeasesOutOfItCostNothing() {
        Fleet fleet = fleet(10_000);
        Fleet.Member member = fleet.join();
        member.wantLeases(100);
        fleet.run(Duration.ofMillis(100));
        assertThat(member.held).hasSize(100);
        assertThat(member.leaseStats().share()).isBetween(101, 116);
        assertBooksRight(fleet);
        long written = fleet.counts().itemsWritten();
        for (int i = 0; i < 100; i++) {
            member.release(1);
            member.wantLeases(1);
        }
        fleet.run(Duration.ofMillis(100));
        assertThat(member.held).hasSize(100);
        assertThat(fleet.counts().itemsWritten()).isEqualTo(written);
        // Joining takes three items, or two if nothing is wanted yet; growing two.
        assertThat(written).isLessThanOrEqualTo(5);
    }

    @Test
    void whatLiesIdleGoesBackAfterAWhile() {
        Fleet fleet = fleet(10_000);
        Fleet.Member member = fleet.join();
        member.wantLeases(100);
        fleet.run(Duration.ofSeconds(1));
        member.release(90);
        fleet.run(Duration.ofSeconds(30));
        assertThat(member.leaseStats().share()).isEqualTo(12);
        assertThat(fleet.total()).isEqualTo(12);
        assertBooksRight(fleet);
    }

    @Test
    void theLimitIsKeptAndWhatIsLeftIsUsed() {
        Fleet fleet = fleet(100);
        fleet.join(7).forEach(member -> member.wantLeases(20));
        fleet.run(Duration.ofSeconds(1));
        assertThat(fleet.held()).isBetween(90, 100);
        assertThat(fleet.members.stream().mapToInt(m -> m.refusedLeases).sum()).isEqualTo(140 - fleet.held());
        fleet.members.forEach(member -> member.keepAt(20));
        fleet.run(Duration.ofSeconds(90));
        assertThat(fleet.held()).isEqualTo(100);
        assertThat(fleet.total()).isEqualTo(100);
        assertBooksRight(fleet);
    }

    @Test
    void aRefusalNamesTheNumbers() {
        Fleet fleet = fleet(5);
        Fleet.Member member = fleet.join();
        member.wantLeases(5);
        fleet.run(Duration.ofSeconds(1));
        CompletableFuture<Lease> more = member.leases().acquire().toCompletableFuture();
        fleet.run(Duration.ofSeconds(1));
        assertThatThrownBy(more::join)
                .hasMessageContaining("5 of the cluster's 5 leases out, 5 of this process's 5 used");
    }

    @Test
    void whileThereIsNothingLeftFewWritesAreSpentOnAsking() {
        Fleet fleet = fleet(100);
        fleet.join(10).forEach(member -> member.keepAt(20));
        fleet.run(Duration.ofSeconds(60));
        long written = fleet.counts().itemsWritten();
        fleet.run(Duration.ofSeconds(60));
        // Each renews seven or eight times a minute; whoever is short asks about every 5 s.
        assertThat(fleet.counts().itemsWritten() - written).isLessThan(10 * 9 + 10 * 13 * 3);
    }

    @Test
    void aLatecomerGetsAFairShareOfAFullCluster() {
        Fleet fleet = fleet(100);
        fleet.join(4).forEach(member -> member.keepAt(40));
        fleet.run(Duration.ofSeconds(60));
        assertThat(fleet.held()).isEqualTo(100);
        Fleet.Member late = fleet.join();
        late.keepAt(40);
        fleet.run(Duration.ofSeconds(60));
        assertThat(late.held.size()).isGreaterThanOrEqualTo(18);
        fleet.run(Duration.ofSeconds(60));
        assertThat(fleet.members)
                .allSatisfy(member -> assertThat(member.held.size()).isBetween(15, 26));
        assertThat(fleet.held()).isBetween(94, 100);
        assertBooksRight(fleet);
    }

    @Test
    void theDeadGiveBackWithinTheLeaseTimeExactlyOnce() {
        Fleet fleet = fleet(10_000);
        fleet.join(20).forEach(member -> member.wantLeases(50));
        fleet.run(Duration.ofSeconds(37));
        fleet.members.get(3).crash();
        fleet.members.get(7).crash();
        fleet.run(LEASE);
        assertThat(fleet.total()).isBetween(18 * 50L, 18 * 56L);
        assertBooksRight(fleet);
        long takenBack = fleet.members.stream()
                .filter(member -> !member.dead)
                .mapToLong(member -> member.leaseStats().takenBack())
                .sum();
        assertThat(takenBack).isBetween(100L, 112L);
    }

    @Test
    void evenIfAllButOneDieAtOnce() {
        Fleet fleet = fleet(10_000);
        fleet.join(150).forEach(member -> member.wantLeases(5));
        fleet.run(Duration.ofSeconds(61));
        fleet.members.subList(1, 150).forEach(Fleet.Member::crash);
        fleet.run(LEASE.multipliedBy(2));
        assertThat(fleet.total()).isBetween(5L, 10L);
        assertBooksRight(fleet);
        assertThat(fleet.members.get(0).budget.stats().members()).isEqualTo(1);
    }

    @Test
    void whoWasTakenForDeadJoinsAgainWithWhatItHolds() {
        Fleet fleet = fleet(100);
        fleet.join(3).forEach(member -> member.wantLeases(10));
        fleet.run(Duration.ofSeconds(10));
        Fleet.Member cut = fleet.members.get(0);
        cut.cut = true;
        fleet.run(LEASE);
        assertThat(fleet.total()).isBetween(20L, 24L);
        cut.cut = false;
        fleet.run(Duration.ofSeconds(10));
        assertThat(cut.leaseStats().declaredDead()).isEqualTo(1);
        assertThat(cut.held).hasSize(10);
        assertThat(fleet.total()).isBetween(30L, 36L);
        assertBooksRight(fleet);
    }

    @Test
    void orLetsGoOfWhatOthersHaveTakenMeanwhile() {
        Fleet fleet = fleet(30);
        fleet.join(3).forEach(member -> member.keepAt(10));
        fleet.run(Duration.ofSeconds(20));
        Fleet.Member cut = fleet.members.get(0);
        assertThat(cut.held).hasSize(10);
        cut.cut = true;
        fleet.run(LEASE);
        fleet.members.subList(1, 3).forEach(member -> member.keepAt(15));
        fleet.run(Duration.ofSeconds(10));
        assertThat(fleet.total()).isEqualTo(30);
        cut.cut = false;
        fleet.run(Duration.ofSeconds(10));
        assertThat(fleet.total()).isBetween(25L, 30L);
        assertThat(cut.leaseStats().used()).isLessThanOrEqualTo(cut.leaseStats().share());
        assertBooksRight(fleet);
        fleet.run(LEASE);
        assertThat(fleet.held()).isBetween(27, 30);
        assertThat(cut.held.size()).isGreaterThanOrEqualTo(8);
    }

    @Test
    void whileTheStoreIsAwayAShareOfWhatWasFreeCanBeUsed() {
        Fleet fleet = fleet(100);
        fleet.join(4).forEach(member -> member.wantLeases(10));
        fleet.run(Duration.ofSeconds(20));
        fleet.members.forEach(member -> member.cut = true);
        fleet.run(Duration.ofSeconds(60));
        fleet.members.forEach(member -> member.keepAt(40));
        fleet.run(Duration.ofSeconds(60));
        assertThat(fleet.held()).isBetween(60, 100);
        fleet.members.forEach(member -> assertThat(member.held.size()).isGreaterThanOrEqualTo(20));
        fleet.members.forEach(member -> member.cut = false);
        fleet.run(Duration.ofSeconds(90));
        assertThat(fleet.held()).isEqualTo(100);
        assertThat(fleet.total()).isEqualTo(100);
        assertBooksRight(fleet);
    }

    @Test
    void orNothingIfThatWasChosen() {
        Fleet fleet = new Fleet(settings -> settings.permitMode(null).limit(100).whenAway(WhenAway.STOP));
        Fleet.Member member = fleet.join();
        member.wantLeases(10);
        fleet.run(Duration.ofSeconds(20));
        member.cut = true;
        fleet.run(Duration.ofSeconds(40));
        member.release(5);
        member.wantLeases(5);
        fleet.run(Duration.ofSeconds(20));
        assertThat(member.held).hasSize(5);
        assertThat(member.refusedLeases).isEqualTo(5);
    }

    @Test
    void aProcessThatStoodStillFindsOutBeforeItOpensAnything() {
        Fleet fleet = fleet(10);
        Fleet.Member one = fleet.join();
        one.wantLeases(6);
        fleet.run(Duration.ofSeconds(10));
        // Its answers and timers are late, as those of a process that was stopped are: nothing comes in or goes out.
        fleet.time.jump(LEASE.toNanos());
        one.release(3);
        CompletableFuture<Lease> next = one.leases().acquire().toCompletableFuture();
        assertThat(next).isNotDone();
        fleet.run(Duration.ofMillis(50));
        assertThat(next).isCompleted();
    }

    @Test
    void leavingGivesEverythingBack() {
        Fleet fleet = fleet(100);
        fleet.join(2).forEach(member -> member.wantLeases(10));
        fleet.run(Duration.ofSeconds(10));
        Fleet.Member member = fleet.members.get(0);
        member.release(10);
        CompletableFuture<Void> left = member.budget.leave().toCompletableFuture();
        fleet.run(Duration.ofMillis(100));
        assertThat(left).isCompleted();
        assertThat(fleet.total()).isBetween(10L, 12L);
        assertBooksRight(fleet);
        assertThatThrownBy(member.leases().acquire().toCompletableFuture()::join)
                .hasMessageContaining("closed");
    }

    @Test
    void leavingDuringAnOutageEndsAllTheSame() {
        Fleet fleet = fleet(100);
        Fleet.Member member = fleet.join();
        member.wantLeases(10);
        fleet.run(Duration.ofSeconds(10));
        member.cut = true;
        CompletableFuture<Void> left = member.budget.leave().toCompletableFuture();
        fleet.run(Duration.ofSeconds(40));
        assertThat(left).isCompleted();
        assertThat(fleet.time.nextDueNanos()).as("no timer is left").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aLeaseGivenBackTwiceCountsOnce() {
        Fleet fleet = fleet(100);
        Fleet.Member member = fleet.join();
        member.wantLeases(3);
        fleet.run(Duration.ofSeconds(1));
        Lease lease = member.held.get(0);
        member.leases().release(lease);
        member.leases().release(lease);
        assertThat(member.leaseStats().used()).isEqualTo(2);
    }

    @Test
    void severalPoolsOfAProcessShareItsShare() {
        Fleet fleet = fleet(20);
        Fleet.Member member = fleet.join();
        AtomicInteger asked = new AtomicInteger();
        member.leases().attach(leases -> {
            asked.addAndGet(leases);
            return 0;
        });
        member.wantLeases(20);
        fleet.run(Duration.ofSeconds(10));
        Fleet.Member hungry = fleet.join();
        hungry.keepAt(10);
        fleet.run(Duration.ofSeconds(60));
        assertThat(hungry.held.size()).isGreaterThanOrEqualTo(9);
        assertThat(asked)
                .as("asked of the pool that has none, as the other gave enough")
                .hasValue(0);
        assertThat(Objects.requireNonNull(member.budget.stats().leases()).used())
                .isLessThanOrEqualTo(11);
    }

    @Test
    void nobodyIsTakenForDeadByALeaseTimeThatIsShorterThanItsOwn() {
        Duration[] lease = {LEASE};
        Fleet fleet = new Fleet(settings -> settings.permitMode(null).limit(100).leaseTime(lease[0]));
        Fleet.Member slow = fleet.join();
        slow.wantLeases(10);
        fleet.run(Duration.ofSeconds(1));
        lease[0] = Duration.ofSeconds(5);
        Fleet.Member quick = fleet.join();
        fleet.run(Duration.ofMinutes(3));
        assertThat(slow.leaseStats().declaredDead()).isZero();
        slow.crash();
        fleet.run(LEASE);
        assertThat(quick.leaseStats().takenBack()).isGreaterThanOrEqualTo(10);
        assertBooksRight(fleet);
    }

    @Test
    void whoWantsALittleDoesNotMakeOthersLetGoOfMuch() {
        Fleet fleet = fleet(1_000);
        fleet.join(20);
        fleet.members.subList(0, 10).forEach(member -> member.keepAt(95));
        fleet.members.subList(10, 20).forEach(member -> member.keepAt(5));
        fleet.run(Duration.ofMinutes(2));
        assertThat(fleet.held()).isEqualTo(1_000);
        // Those who have much do not ask again for what they let go.
        fleet.members.subList(0, 10).forEach(member -> member.keepAt(0));
        Fleet.Member hungry = fleet.members.get(10);
        hungry.keepAt(7);
        fleet.run(Duration.ofSeconds(60));
        assertThat(hungry.held).hasSize(7);
        assertThat(fleet.held()).isGreaterThan(1_000 - 60);
        assertBooksRight(fleet);
    }

    /** The first answer is lost, the second says nothing of what became of the first. */
    @Test
    void whatMayHaveBeenGivenBackIsNotUsedAgain() {
        ModesKit kit = new ModesKit(3);
        ModesKit.OurProcess process = kit.start(kit.settings(Fleet.ENDPOINT)
                .permitMode(null)
                .leaseMode(LeaseMode.SHARE)
                .limit(1_000));
        process.wantLeases(100);
        kit.advance(Duration.ofSeconds(1));
        process.held().subList(0, 90).forEach(process::release);
        AtomicInteger times = new AtomicInteger();
        process.store.faults = () -> !isGiveBack(process.store.sent.get(process.store.sent.size() - 1))
                ? ModesKit.Fault.NONE
                : switch (times.getAndIncrement()) {
                    case 0 -> ModesKit.Fault.ANSWER_LOST;
                    case 1 -> ModesKit.Fault.THROTTLED;
                    default -> ModesKit.Fault.NONE;
                };
        long end = kit.time.nanos() + 30 * ModesKit.SECOND;
        while (times.get() < 2 && kit.time.step(end)) {}
        assertThat(times).hasValue(2);
        process.wantLeases(90);
        end = kit.time.nanos() + 5 * ModesKit.SECOND;
        while (kit.time.step(end)) {
            Item member = kit.item(
                    ItemKeys.member(Fleet.ENDPOINT, process.budget.stats().member()));
            assertThat((long) process.held().size()).isLessThanOrEqualTo(member.number(ItemKeys.SHARE, 0));
        }
        assertThat(process.held()).hasSize(100);
    }

    private static boolean isGiveBack(List<Write> writes) {
        return writes.stream()
                .flatMap(write -> write.changes().stream())
                .anyMatch(change ->
                        change.attribute().equals(ItemKeys.TOTAL) && change.value() instanceof Long by && by < 0);
    }
}
