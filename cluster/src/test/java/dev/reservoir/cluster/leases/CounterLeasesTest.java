package dev.reservoir.cluster.leases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.ModesKit;
import dev.reservoir.cluster.ModesKit.Fault;
import dev.reservoir.cluster.ModesKit.GoLeases;
import dev.reservoir.cluster.ModesKit.OurProcess;
import dev.reservoir.cluster.WhenAway;
import dev.reservoir.cluster.inspect.InspectedFleet;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Leases.Holder;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.testkit.LogLines;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Leases by counter, together with Go processes. */
class CounterLeasesTest {
    private final ModesKit kit = new ModesKit(11);

    private OurProcess joined(int limit) {
        OurProcess process = kit.byCounter(limit);
        kit.advanceChecking(Duration.ofMillis(500));
        return process;
    }

    private OurProcess holding(int limit, int leases) {
        OurProcess process = joined(limit);
        process.wantLeases(leases);
        // Near the cap they come in small blocks.
        for (int i = 0; i < 20 && process.held().size() < leases; i++) {
            kit.advanceChecking(Duration.ofMillis(500));
        }
        assertThat(process.held()).hasSize(leases);
        return process;
    }

    private Item memberOf(OurProcess process) {
        return kit.item(ItemKeys.member(ModesKit.CLUSTER, process.budget.stats().member()));
    }

    @Test
    void theItemsAreThoseOfGoAndSayWhoseTheyAre() {
        OurProcess one = joined(10);
        one.wantLeases(2);
        kit.advanceChecking(Duration.ofMillis(100));
        List<Write> writes = one.store.sent.get(1);
        long atMillis =
                (Long) Objects.requireNonNull(writes.get(1).changes().get(1).value());
        assertThat(atMillis).isBetween(kit.now().toEpochMilli() - 200, kit.now().toEpochMilli());
        assertThat(writes.get(1))
                .isEqualTo(Write.update(
                        "go_lease_counter#Orders.Example:5432",
                        List.of(Change.add("active", 2), Change.set("updated_ms", atMillis)),
                        Condition.atMost("active", 8).orAbsent()));
        String member = one.budget.stats().member();
        for (Lease lease : one.held()) {
            assertThat(lease.id()).matches("[0-9a-f]{32}");
            assertThat(kit.item("go_lease#Orders.Example:5432#" + lease.id()).attributes())
                    .isEqualTo(Map.of(
                            "ttl_epoch",
                            atMillis / 1_000 + 7_200,
                            "service_name",
                            "orders",
                            "created_ms",
                            atMillis,
                            "owner",
                            member));
        }
        assertThat(kit.item("go_lease_counter#Orders.Example:5432").attributes())
                .isEqualTo(Map.of("active", 2L, "updated_ms", atMillis));
        assertThat(memberOf(one).texts("lease_ids"))
                .isEqualTo(one.held().stream().map(Lease::id).collect(Collectors.toSet()));
        assertThat(one.leaseStats()).isEqualTo(new BudgetStats.Leases(2, 2, 0, 2, 10, 0, 0, 0));
        assertThat(Objects.requireNonNull(one.budget.leases()).describe())
                .isEqualTo("2 of the cluster's 10 leases out, 2 of this process's 2 used");
    }

    @Test
    void asManyAsFitAreTakenInOneTransaction() {
        OurProcess one = joined(1_000);
        long before = one.store.sent.size();
        one.wantLeases(250);
        kit.advanceChecking(Duration.ofMillis(200));
        assertThat(one.held()).hasSize(250);
        assertThat(one.store.sent.size() - before).isEqualTo(3);
        one.store.sent.forEach(it -> assertThat(it).hasSizeLessThanOrEqualTo(100));
        assertThat(kit.active()).isEqualTo(250);
    }

    @Test
    void aSuccessorTakesALeaseOverWithoutAnyWrite() {
        OurProcess one = holding(10, 3);
        long before = one.store.sent.size();
        for (int i = 0; i < 20; i++) {
            Lease lease = one.held().get(0);
            one.release(lease);
            kit.advanceChecking(Duration.ofMillis(100));
            CompletableFuture<Lease> next = one.wantLease();
            assertThat(next).isCompleted();
        }
        long renewals = one.store.sent.stream()
                .skip(before)
                .filter(it -> it.size() == 1)
                .count();
        assertThat(one.store.sent.size() - before - renewals).isZero();
        assertThat(kit.active()).isEqualTo(3);
    }

    @Test
    void leasesGoBackTogetherAfterAMoment() {
        OurProcess one = holding(100, 40);
        long before = one.store.sent.size();
        one.releaseAll();
        kit.advanceChecking(Duration.ofMillis(900));
        assertThat(kit.active()).isEqualTo(40);
        kit.advanceChecking(Duration.ofMillis(300));
        assertThat(kit.active()).isZero();
        assertThat(kit.leasesOfOurs()).isZero();
        assertThat(memberOf(one).texts("lease_ids")).isEmpty();
        assertThat(one.store.sent.stream()
                        .skip(before)
                        .filter(it -> it.size() > 1)
                        .count())
                .isEqualTo(1);
        assertThat(one.leaseStats().share()).isZero();
    }

    @Test
    void aLeaseGivenBackTwiceCountsOnce() {
        OurProcess one = holding(10, 2);
        Lease lease = one.held().get(0);
        for (int i = 0; i < 3; i++) {
            one.release(lease);
            kit.advanceChecking(Duration.ofSeconds(2));
        }
        assertThat(kit.active()).isEqualTo(1);
        assertThat(one.leaseStats().used()).isEqualTo(1);
    }

    @Test
    void aLeaseThatAnotherDeletedIsNotCountedOffAndStopsNobody() {
        OurProcess one = holding(10, 4);
        Lease gone = one.held().get(1);
        kit.table.write(Write.delete(ModesKit.LEASES + gone.id()));
        kit.meddled = 1;
        one.releaseAll();
        one.wantLeases(1);
        kit.advanceChecking(Duration.ofSeconds(3));
        one.releaseAll();
        kit.advanceChecking(Duration.ofSeconds(3));
        assertThat(kit.leasesOfOurs()).isZero();
        assertThat(kit.active()).as("what the other did not count off").isEqualTo(1);
        assertThat(memberOf(one).texts("lease_ids")).isEmpty();
        one.wantLeases(9);
        kit.advanceChecking(Duration.ofSeconds(1));
        assertThat(one.held()).hasSize(9);
    }

    /**
     * The item of a lease is another's now: a Go process's, which says no owner, or that of another process of ours.
     */
    private void makeAnothers(Lease lease, boolean isGo) {
        String key = ModesKit.LEASES + lease.id();
        Change change = isGo ? Change.remove(ItemKeys.OWNER) : Change.set(ItemKeys.OWNER, "another");
        kit.table.write(Write.update(key, List.of(change)));
    }

    @Test
    void aLeaseThatIsAnothersIsNotGivenBack() {
        OurProcess one = holding(10, 4);
        Lease theirs = one.held().get(1);
        Lease ofGo = one.held().get(2);
        makeAnothers(theirs, false);
        makeAnothers(ofGo, true);
        one.releaseAll();
        kit.advance(Duration.ofSeconds(3));
        assertThat(kit.active()).isEqualTo(2);
        assertThat(kit.table.item(ModesKit.LEASES + theirs.id())).isNotNull();
        assertThat(kit.table.item(ModesKit.LEASES + ofGo.id())).isNotNull();
        assertThat(memberOf(one).texts("lease_ids")).isEmpty();
    }

    @Test
    void aLeaseThatIsAnothersIsNotTakenBackFromTheDead() {
        OurProcess crashing = holding(20, 6);
        joined(20);
        List<Lease> held = crashing.held();
        crashing.crash();
        makeAnothers(held.get(0), false);
        makeAnothers(held.get(3), true);
        kit.advance(ModesKit.LEASE);
        assertThat(kit.active()).isEqualTo(2);
        assertThat(kit.table.item(ModesKit.LEASES + held.get(0).id())).isNotNull();
        assertThat(kit.table.item(ModesKit.LEASES + held.get(3).id())).isNotNull();
        assertThat(InspectedFleet.ids(kit.table, ModesKit.CLUSTER)).hasSize(1);
    }

    @Test
    void aCounterThatIsTooLowIsCountedDownToZeroAndNoFurther() {
        OurProcess one = holding(10, 4);
        kit.table.write(Write.update(ModesKit.COUNTER, List.of(Change.set("active", 1))));
        one.releaseAll();
        kit.advance(Duration.ofSeconds(3));
        assertThat(kit.active()).isZero();
        assertThat(kit.leasesOfOurs()).isZero();
        one.wantLeases(2);
        kit.advanceChecking(Duration.ofSeconds(1));
        assertThat(one.held()).hasSize(2);
        one.releaseAll();
        kit.advanceChecking(Duration.ofSeconds(2));
        assertThat(kit.active()).isZero();
    }

    @Test
    void whenNothingIsLeftOneIsToldAtOnceAndAsksNoMore() {
        OurProcess one = holding(10, 10);
        OurProcess two = joined(10);
        two.wantLeases(3);
        kit.advanceChecking(Duration.ofMillis(100));
        assertThatThrownBy(() -> two.leases.get(0).join())
                .hasMessageContaining("10 of the cluster's 10 leases out, 0 of this process's 0 used");
        long before = two.store.sent.size();
        for (int i = 0; i < 20; i++) {
            assertThat(two.wantLease()).isCompletedExceptionally();
            kit.advanceChecking(Duration.ofMillis(100));
        }
        assertThat(two.store.sent.size() - before).isZero();
        assertThat(two.leaseStats().denied()).isEqualTo(23);

        one.release(one.held().get(0));
        kit.advanceChecking(Duration.ofSeconds(8));
        two.wantLeases(2);
        kit.advanceChecking(Duration.ofSeconds(1));
        assertThat(two.held()).as("one was free, of two").hasSize(1);
        assertThat(kit.active()).isEqualTo(10);
    }

    @Test
    void conflictsWithOthersAndThrottlingOnlyDelay() {
        for (Fault fault : List.of(Fault.CONFLICT, Fault.THROTTLED)) {
            OurProcess one = joined(50);
            one.store.fail(fault, 3);
            one.wantLeases(5);
            kit.advanceChecking(Duration.ofSeconds(9));
            assertThat(one.held()).hasSize(5);
            assertThat(one.budget.stats().away()).isFalse();
            one.store.fail(fault, 3);
            one.releaseAll();
            kit.advanceChecking(Duration.ofSeconds(15));
            assertThat(kit.active()).isZero();
        }
    }

    @Test
    void aTransactionWhoseAnswerWasLostIsSettledNotRepeated() {
        for (int lost = 1; lost <= 5; lost++) {
            OurProcess one = joined(50);
            one.store.fail(Fault.ANSWER_LOST, lost);
            one.wantLeases(5);
            kit.advanceChecking(Duration.ofSeconds(10));
            one.wantLeases(5 - one.held().size());
            kit.advanceChecking(Duration.ofSeconds(2));
            assertThat(one.held()).hasSize(5);
            assertThat(kit.active()).as("%s lost", lost).isEqualTo(5);
            one.store.fail(Fault.ANSWER_LOST, lost);
            one.releaseAll();
            kit.advanceChecking(Duration.ofSeconds(15));
            assertThat(kit.active()).as("%s lost", lost).isZero();
        }
    }

    @Test
    void whatIsLeftIsTakenIfItIsLessThanWanted() {
        holding(10, 7);
        OurProcess two = joined(10);
        two.wantLeases(5);
        kit.advanceChecking(Duration.ofSeconds(1));
        assertThat(two.held()).hasSize(3);
        assertThat(two.leaseStats().denied()).isEqualTo(2);
    }

    @Test
    void goAndOursFillTheSameLimitExactly() {
        GoLeases go = kit.goLeases(100);
        OurProcess one = joined(100);
        OurProcess two = joined(100);
        for (int round = 0; round < 60; round++) {
            for (int i = 0; i < 4; i++) {
                if (kit.random.nextBoolean()) {
                    go.acquire();
                } else if (go.held() > 0) {
                    go.release();
                }
            }
            one.wantLeases(kit.random.nextInt(5));
            two.wantLeases(kit.random.nextInt(5));
            if (round % 3 == 0) {
                one.held().stream().limit(4).forEach(one::release);
            }
            kit.advanceChecking(Duration.ofMillis(150));
            assertThat(kit.active()).isLessThanOrEqualTo(100);
        }
        while (go.acquire()) {
            // Whatever is left.
        }
        assertThat(kit.active()).isEqualTo(100);
        while (go.held() > 0) {
            go.release();
        }
        one.releaseAll();
        two.releaseAll();
        kit.advanceChecking(Duration.ofSeconds(2));
        assertThat(kit.active()).isZero();
    }

    @Test
    void leasesOfACrashedProcessAreTakenBackWithinTheLeaseTimeAndThoseOfGoAreNot() {
        GoLeases go = kit.goLeases(500);
        for (int i = 0; i < 5; i++) {
            go.acquire();
        }
        OurProcess crashing = holding(500, 350);
        OurProcess one = holding(500, 3);
        joined(500);
        crashing.crash();
        kit.advanceChecking(ModesKit.LEASE);
        assertThat(kit.active()).isEqualTo(8);
        assertThat(kit.leasesOfOurs()).isEqualTo(3);
        assertThat(InspectedFleet.ids(kit.table, ModesKit.CLUSTER)).hasSize(2);
        assertThat(kit.ours.stream()
                        .mapToLong(it -> it == crashing ? 0 : it.leaseStats().takenBack())
                        .sum())
                .isEqualTo(350);
        assertThat(one.held()).hasSize(3);
    }

    @Test
    void aCrashedProcessWhoseLeasesWereDeletedByHandIsTakenBackAllTheSame() {
        OurProcess crashing = holding(500, 210);
        joined(500);
        joined(500);
        crashing.crash();
        List<Lease> held = crashing.held();
        for (int i = 0; i < 210; i += 7) {
            kit.table.write(Write.delete(ModesKit.LEASES + held.get(i).id()));
            kit.meddled++;
        }
        kit.advanceChecking(ModesKit.LEASE);
        assertThat(kit.leasesOfOurs()).isZero();
        assertThat(kit.active()).as("what was not counted off by hand").isEqualTo(30);
        assertThat(InspectedFleet.ids(kit.table, ModesKit.CLUSTER)).hasSize(2);
    }

    @Test
    void aProcessThatWasTakenForDeadTakesNewLeasesForWhatItHolds() {
        OurProcess paused = holding(20, 6);
        OurProcess other = joined(20);
        List<Lease> before = paused.held();
        paused.own.stop();
        kit.advanceChecking(ModesKit.LEASE);
        assertThat(kit.active()).isZero();
        assertThat(other.leaseStats().takenBack()).isEqualTo(6);
        paused.own.goOn();
        kit.advanceChecking(Duration.ofSeconds(5));
        assertThat(paused.leaseStats().declaredDead()).isEqualTo(1);
        assertThat(paused.leaseStats().share()).isEqualTo(6);
        assertThat(kit.active()).isEqualTo(6);
        before.forEach(paused::release);
        kit.advanceChecking(Duration.ofSeconds(2));
        assertThat(kit.active()).isZero();
    }

    @Test
    void ifThereIsNoRoomLeftForThemTheExcessIsCalledBack() {
        OurProcess paused = holding(10, 8);
        Holder holder = leases -> {
            List<Lease> some = paused.held().stream().limit(leases).toList();
            kit.time.schedule(50_000_000L, () -> some.forEach(paused::release));
            return some.size();
        };
        Objects.requireNonNull(paused.budget.leases()).attach(holder);
        OurProcess other = joined(10);
        paused.own.stop();
        kit.advanceChecking(ModesKit.LEASE);
        other.wantLeases(7);
        kit.advanceChecking(Duration.ofSeconds(1));
        assertThat(other.held()).hasSize(7);
        paused.own.goOn();
        kit.advanceChecking(Duration.ofSeconds(10));
        assertThat(paused.held()).hasSize(3);
        assertThat(paused.leaseStats().share()).isEqualTo(3);
        assertThat(kit.active()).isEqualTo(10);
    }

    @Test
    void aProcessThatWakesWhileItIsTakenBackNoticesWhatItLost() {
        OurProcess paused = holding(1_000, 300);
        OurProcess other = joined(1_000);
        paused.own.stop();
        // The other gets no further than the first batch.
        while (kit.active() == 300) {
            assertThat(kit.time.step()).isTrue();
            kit.checkLeases();
        }
        assertThat(kit.active()).isBetween(200L, 299L);
        other.cut = true;
        paused.own.goOn();
        kit.advanceChecking(Duration.ofSeconds(5));
        assertThat(paused.held()).hasSize(300);
        assertThat(paused.leaseStats().share()).isEqualTo(300);
        assertThat(kit.active()).isEqualTo(300);
        other.cut = false;
        kit.advanceChecking(Duration.ofMinutes(2));
        assertThat(kit.active()).isEqualTo(300);
    }

    @Test
    void endpointsThatAreSpelledDifferentlyAreTakenBackWhereTheyWereCounted() {
        OurProcess crashing = holding(50, 5);
        kit.start(kit.settings("orders.example")
                .permitMode(null)
                .leaseMode(LeaseMode.COUNTER)
                .limit(50));
        kit.advanceChecking(Duration.ofSeconds(1));
        crashing.crash();
        kit.advanceChecking(ModesKit.LEASE);
        assertThat(kit.active()).isZero();
        assertThat(kit.leasesOfOurs()).isZero();
    }

    @Test
    void aDeadProcessThatCountedByShareIsTakenOffItsCount() {
        OurProcess crashing =
                kit.start(kit.settings(ModesKit.ENDPOINT).permitMode(null).limit(50));
        crashing.wantLeases(5);
        joined(50);
        assertThat(kit.item(ItemKeys.count(ModesKit.CLUSTER)).number(ItemKeys.TOTAL, 0))
                .isPositive();
        crashing.crash();
        kit.advance(ModesKit.LEASE);
        assertThat(kit.item(ItemKeys.count(ModesKit.CLUSTER)).number(ItemKeys.TOTAL, 0))
                .isZero();
    }

    @Test
    void leavingGivesEverythingBackAtOnce() {
        OurProcess one = holding(100, 60);
        CompletableFuture<Void> left = one.budget.leave().toCompletableFuture();
        kit.advanceChecking(Duration.ofMillis(100));
        assertThat(left).isCompleted();
        assertThat(kit.active()).isZero();
        assertThat(kit.leasesOfOurs()).isZero();
        one.releaseAll();
        kit.advanceChecking(Duration.ofSeconds(10));
        assertThat(kit.active()).isZero();
        assertThat(one.wantLease()).isCompletedExceptionally();
        assertThat(kit.time.nextDueNanos()).as("no timer is left").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void leavingWithMoreThanFitsLosesNone() {
        OurProcess leaving = holding(1_000, 500);
        joined(1_000);
        CompletableFuture<Void> left = leaving.budget.leave().toCompletableFuture();
        kit.advanceChecking(Duration.ofSeconds(1));
        assertThat(left).isCompleted();
        kit.advanceChecking(ModesKit.LEASE);
        assertThat(kit.active()).isZero();
        assertThat(kit.leasesOfOurs()).isZero();
    }

    @Test
    void leavingTriesForAsLongAsClosingMayTake() {
        OurProcess leaving = holding(1_000, 140);
        leaving.store.faults = () -> Fault.THROTTLED;
        CompletableFuture<Void> left = leaving.budget.leave().toCompletableFuture();
        kit.advanceChecking(Duration.ofSeconds(4));
        assertThat(left).isNotDone();
        leaving.store.faults = () -> Fault.NONE;
        kit.advanceChecking(Duration.ofSeconds(1));
        assertThat(left).isCompleted();
        assertThat(kit.active()).isZero();
        assertThat(kit.leasesOfOurs()).isZero();
        assertThat(kit.table.items().keySet()).noneMatch(key -> key.startsWith(ItemKeys.MEMBER_PREFIX));
    }

    @Test
    void leavingEndsAfterThatTimeWhateverTheStoreDoes() {
        OurProcess leaving = holding(1_000, 140);
        long before = leaving.store.sent.size();
        leaving.store.faults = () -> Fault.THROTTLED;
        CompletableFuture<Void> left = leaving.budget.leave().toCompletableFuture();
        kit.advanceChecking(Duration.ofMillis(5_100));
        assertThat(left).isCompleted();
        assertThat(leaving.store.sent.size() - before).as("tries").isBetween(15L, 60L);
        joined(1_000);
        kit.advanceChecking(ModesKit.LEASE);
        assertThat(kit.active()).as("others took it back").isZero();
    }

    @Test
    void oneWhoseGoodbyeWasNotAnsweredAsksWhetherItArrived() {
        OurProcess leaving = holding(100, 20);
        int[] calls = {0};
        // First the leases are given back, then the member goes.
        leaving.store.faults = () -> calls[0]++ == 1 ? Fault.ANSWER_LOST : Fault.NONE;
        CompletableFuture<Void> left = leaving.budget.leave().toCompletableFuture();
        kit.advanceChecking(Duration.ofSeconds(1));
        assertThat(left).isCompleted();
        assertThat(calls[0]).isEqualTo(3);
        assertThat(kit.active()).isZero();
        assertThat(leaving.leaseStats().declaredDead()).isZero();
        assertThat(kit.time.nextDueNanos()).as("no timer is left").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theLogCountsAllLeasesThatWereTakenBackHoweverManyTransactionsThatTook() {
        try (LogLines log = new LogLines()) {
            OurProcess crashing = holding(1_000, 101);
            joined(1_000);
            crashing.crash();
            kit.advanceChecking(ModesKit.LEASE);
            assertThat(kit.active()).isZero();
            assertThat(log.startingWith("INFO Reservoir: leases of a dead process taken back"))
                    .singleElement()
                    .asString()
                    .contains(" leases=101 ");
        }
    }

    /** A Go process opens one connection after the other: a lease, and a tenth of a second for the handshake. */
    private GoLeases goThatOpensOneByOne(int limit, int wanted) {
        GoLeases go = kit.goLeases(limit);
        Runnable[] open = new Runnable[1];
        open[0] = () -> {
            if (go.held() < wanted) {
                go.acquire();
                kit.time.schedule(100 * ModesKit.MILLI, open[0]);
            }
        };
        kit.time.schedule(1, open[0]);
        return go;
    }

    @Test
    void aProcessThatWantsEverythingLeavesGoProcessesTheirTurn() {
        OurProcess one = joined(100);
        GoLeases go = goThatOpensOneByOne(100, 50);
        one.wantLeases(120);
        kit.advanceChecking(Duration.ofSeconds(10));
        System.out.printf(
                "near the cap: Go %d, ours %d%n", go.held(), one.held().size());
        assertThat(kit.active()).isEqualTo(100);
        assertThat(go.held()).isGreaterThanOrEqualTo(20);
        assertThat(one.held().size()).isGreaterThanOrEqualTo(50);
    }

    @Test
    void severalOfOursLeaveAGoProcessAFairPartTogether() {
        List<OurProcess> ours = List.of(joined(100), joined(100), joined(100), joined(100));
        kit.advanceChecking(Duration.ofSeconds(10));
        GoLeases go = goThatOpensOneByOne(100, 50);
        ours.forEach(one -> one.wantLeases(60));
        kit.advanceChecking(Duration.ofSeconds(10));
        System.out.printf("near the cap, four of ours: Go %d%n", go.held());
        assertThat(kit.active()).isEqualTo(100);
        assertThat(go.held()).as("a fifth is fair").isGreaterThanOrEqualTo(12);
    }

    @Test
    void farFromTheCapAsManyAsFitAreTakenAtOnce() {
        OurProcess one = joined(10_000);
        long before = one.store.sent.size();
        one.wantLeases(900);
        kit.advanceChecking(Duration.ofMillis(300));
        assertThat(one.held()).hasSize(900);
        assertThat(one.store.sent.size() - before).isEqualTo(10);
    }

    @Test
    void theLastOfAFleetLeavesNothingBehindHoweverMuchItHolds() {
        OurProcess last = holding(1_000, 500);
        CompletableFuture<Void> left = last.budget.leave().toCompletableFuture();
        kit.advanceChecking(Duration.ofSeconds(1));
        assertThat(left).isCompleted();
        assertThat(kit.active()).isZero();
        assertThat(kit.leasesOfOurs()).isZero();
        assertThat(kit.time.nextDueNanos()).as("no timer is left").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whileTheStoreIsAwaySomeOfWhatWasFreeIsUsedAndCountedAfterwards() {
        OurProcess one = holding(40, 4);
        OurProcess two = holding(40, 4);
        kit.advanceChecking(Duration.ofSeconds(10));
        one.cut = true;
        two.cut = true;
        kit.advanceChecking(Duration.ofSeconds(40));
        assertThat(one.budget.stats().away()).isTrue();
        one.wantLeases(30);
        two.wantLeases(30);
        kit.advanceChecking(Duration.ofSeconds(1));
        assertThat(one.held())
                .as("8 are out, and of the other 32 each uses less than half")
                .hasSize(4 + 12);
        assertThat(two.held()).hasSize(4 + 12);
        one.cut = false;
        two.cut = false;
        kit.advanceChecking(Duration.ofSeconds(30));
        assertThat(kit.active()).isEqualTo(32);
        assertThat(one.leaseStats().share()).isEqualTo(16);
        one.releaseAll();
        two.releaseAll();
        kit.advanceChecking(Duration.ofSeconds(2));
        assertThat(kit.active()).isZero();
    }

    @Test
    void whileTheStoreIsAwayNothingIsGivenOutIfChosen() {
        OurProcess one = kit.byCounter(40, it -> it.whenAway(WhenAway.STOP));
        kit.advanceChecking(Duration.ofSeconds(1));
        one.cut = true;
        kit.advanceChecking(Duration.ofSeconds(40));
        CompletableFuture<Lease> lease = one.wantLease();
        assertThat(lease).isCompletedExceptionally();
        assertThatThrownBy(lease::join).hasMessageContaining("the cluster budget does not answer");
    }

    @Test
    void twoPoolsOfOneProcessUseEachOthersLeases() {
        OurProcess one = joined(10);
        one.wantLeases(3);
        kit.advanceChecking(Duration.ofMillis(100));
        Set<String> ids = new HashSet<>();
        one.held().forEach(it -> ids.add(it.id()));
        long before = one.store.sent.size();
        one.releaseAll();
        one.wantLeases(3);
        kit.advanceChecking(Duration.ofMillis(500));
        assertThat(one.held()).extracting(Lease::id).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(one.store.sent).hasSize((int) before);
    }

    @Test
    void anOldLeaseIsNotUsedAgainSinceTheTableMayDeleteItUnderItsSuccessor() {
        OurProcess one = holding(10, 1);
        String first = one.held().get(0).id();
        kit.advance(Duration.ofMinutes(51));
        one.releaseAll();
        one.wantLeases(1);
        kit.advanceChecking(Duration.ofSeconds(1));
        assertThat(one.held()).hasSize(1);
        assertThat(one.held().get(0).id()).isNotEqualTo(first);
        assertThat(kit.active()).isEqualTo(1);
    }

    @Test
    void aConnectionThatLivesForDaysNeverStandsOnALeaseThatTheTableMayDelete() {
        OurProcess process = holding(100, 150 - 60);
        for (int minute = 0; minute < 24 * 60; minute++) {
            kit.advance(Duration.ofMinutes(1));
            kit.checkLeases();
            kit.table.items().forEach((key, item) -> {
                if (key.startsWith(ModesKit.LEASES)) {
                    assertThat(item.number(Store.TTL, 0)).as(key).isGreaterThan(kit.second() + 5 * 60);
                }
            });
        }
        assertThat(kit.active()).isEqualTo(90);
        process.releaseAll();
        kit.advanceChecking(Duration.ofSeconds(10));
        assertThat(kit.active()).isZero();
    }
}
