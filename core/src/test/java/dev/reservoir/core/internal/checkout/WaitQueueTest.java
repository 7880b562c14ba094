package dev.reservoir.core.internal.checkout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.core.kit.WatchedTime;
import dev.reservoir.core.time.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The rules by which waiters are served, one step at a time. */
class WaitQueueTest {
    private static final long WINDOW = 1_000_000L;

    /** How long a platform thread that does not come to look can be overtaken. */
    private static final long DUE = WaitQueue.WINDOWS_UNTIL_DUE * WINDOW;

    private final VirtualTime clock = new VirtualTime();
    private final WatchedTime time = new WatchedTime(clock);
    private final Gate gate = new Gate();
    private final ReadyStore<String> store = new ReadyStore<>(8, 1);
    private final List<Entry<String>> aside = new ArrayList<>();
    private final WaitQueue<String> queue =
            new WaitQueue<>(store, gate, time, 1_000, WINDOW, (entry, now) -> aside.add(entry));

    private Entry<String> entry() {
        Entry<String> entry = new Entry<>("c", clock.nanos(), 1_000_000_000_000L, 0, false, null);
        store.place(entry);
        return entry;
    }

    /** One that was acquired just now. */
    private Entry<String> inUse() {
        Entry<String> entry = entry();
        entry.acquiredNanos = clock.nanos();
        return entry;
    }

    private Entry<String> ready() {
        Entry<String> entry = entry();
        store.putBack(entry);
        return entry;
    }

    private Waiter.Parked<String> parked(long timeoutNanos) {
        Waiter.Parked<String> waiter = new Waiter.Parked<>(clock.nanos(), clock.nanos() + timeoutNanos);
        assertThat(queue.join(waiter)).isTrue();
        return waiter;
    }

    private Waiter.Deferred<String> deferred() {
        Waiter.Deferred<String> waiter = new Waiter.Deferred<>(clock.nanos(), ended -> {});
        assertThat(queue.join(waiter)).isTrue();
        return waiter;
    }

    private void giveUp(Waiter<String> waiter) {
        assertThat(waiter.giveUp()).isTrue();
        queue.leave(waiter);
    }

    @Test
    void theGateIsOpenWhileNobodyWaits() {
        assertThat(gate.shutFromNanos).isEqualTo(Long.MAX_VALUE);
        clock.advance(50);
        Waiter<String> waiter = parked(1_000);
        assertThat(gate.shutFromNanos).isEqualTo(50 + DUE);
        giveUp(waiter);
        assertThat(gate.shutFromNanos).isEqualTo(Long.MAX_VALUE);
        assertThat(queue.waiting()).isZero();
    }

    @Test
    void aWaiterThatCannotBeToldOfItsConnectionWaitsNoMore() {
        Waiter<String> untold = new Waiter.Deferred<>(clock.nanos(), ended -> {
            throw new Error("scripted");
        });
        assertThat(queue.join(untold)).isTrue();
        clock.advance(DUE);
        assertThatThrownBy(() -> queue.offer(inUse())).hasMessage("scripted");
        assertThat(queue.waiting()).isZero();
        assertThat(gate.shutFromNanos).isEqualTo(Long.MAX_VALUE);
        Waiter<String> next = deferred();
        clock.advance(DUE);
        Entry<String> entry = inUse();
        queue.offer(entry);
        assertThat(next.handed()).isSameAs(entry);
        assertThat(queue.waiting()).isZero();
    }

    @Test
    void aWaitThatEndedWithTheSameConnectionAMomentBeforeIsNotCountedTwice() {
        Waiter<String> first = deferred();
        Entry<String> entry = inUse();
        time.beforeLook = () -> {
            time.beforeLook = () -> {};
            // Another thread hands the connection over, and the waiter releases it at once.
            assertThat(queue.handNow(entry)).isTrue();
            store.putBack(entry);
        };
        queue.serve();
        assertThat(first.handed()).isSameAs(entry);
        assertThat(queue.waiting()).isZero();
        assertThat(store.isReady(entry)).isTrue();
    }

    @Test
    void oneThatCannotBeToldOfTheEndDoesNotKeepTheOthersWaiting() {
        Waiter<String> untold = new Waiter.Deferred<>(clock.nanos(), ended -> {
            throw new Error("scripted");
        });
        assertThat(queue.join(untold)).isTrue();
        Waiter<String> next = deferred();
        queue.failAll(new IllegalStateException("closed"));
        assertThat(untold.isOver()).isTrue();
        assertThatThrownBy(next::handed).hasMessage("closed");
        assertThat(queue.waiting()).isZero();
    }

    @Test
    void thoseWhoReturnComeBeforeAllOthersInTheOrderInWhichTheyFirstCame() {
        Waiter<String> newcomer = deferred();
        clock.advance(5);
        Waiter<String> later = new Waiter.Deferred<>(3, ended -> {});
        Waiter<String> earlier = new Waiter.Deferred<>(2, ended -> {});
        Waiter<String> gaveUp = new Waiter.Deferred<>(1, ended -> {});
        queue.joinAgain(later);
        queue.joinAgain(earlier);
        queue.joinAgain(gaveUp);
        assertThat(queue.waiting()).isEqualTo(4);
        giveUp(gaveUp);
        for (Waiter<String> next : List.of(earlier, later, newcomer)) {
            assertThat(next.isOver()).isFalse();
            Entry<String> entry = inUse();
            queue.offer(entry);
            assertThat(next.handed()).isSameAs(entry);
        }
        assertThat(queue.waiting()).isZero();
        assertThat(gate.shutFromNanos).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void thoseWhoReturnedHearOfTheEndAndOfTheirDeadline() {
        Waiter.Parked<String> atItsDeadline = new Waiter.Parked<>(0, 100);
        queue.joinAgain(atItsDeadline);
        queue.watch(atItsDeadline);
        Waiter<String> returned = new Waiter.Deferred<>(1, ended -> {});
        queue.joinAgain(returned);
        clock.advance(100);
        assertThat(time.timers).as("its deadline was seen to").isZero();
        queue.failAll(new IllegalStateException("over"));
        assertThat(returned.isOver()).isTrue();
        assertThat(atItsDeadline.isOver()).isTrue();
        assertThat(queue.waiting()).isZero();
    }

    @Test
    void theGateFollowsTheOldest() {
        Waiter<String> first = parked(1_000);
        clock.advance(10);
        Waiter<String> second = parked(1_000);
        clock.advance(10);
        Waiter<String> third = parked(1_000);
        giveUp(second);
        assertThat(gate.shutFromNanos).isEqualTo(DUE);
        giveUp(first);
        assertThat(gate.shutFromNanos).isEqualTo(20 + DUE);
        giveUp(third);
        assertThat(gate.shutFromNanos).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void withinTheWindowAConnectionStaysFreeForWhoeverComesFirst() {
        Waiter<String> first = parked(10 * WINDOW);
        queue.offer(inUse());
        assertThat(first.isOver()).isFalse();
        assertThat(store.ready()).isEqualTo(1);
        assertThat(queue.mayTake(first, clock.nanos())).isTrue();
    }

    @Test
    void afterTheWindowItIsHandedToTheOldestThatHasLookedInVain() {
        Waiter.Parked<String> first = parked(10 * WINDOW);
        Waiter.Parked<String> second = parked(10 * WINDOW);
        clock.advance(WINDOW);
        queue.lookedInVain(first, clock.nanos());
        queue.lookedInVain(second, clock.nanos());
        Entry<String> entry = inUse();
        queue.offer(entry);
        assertThat(first.handed()).isSameAs(entry);
        assertThat(second.isOver()).isFalse();
        assertThat(queue.waiting()).isEqualTo(1);
        assertThat(queue.mayTake(second, clock.nanos())).isTrue();
        assertThat(queue.mayTake(parked(1), clock.nanos()))
                .as("a newcomer behind it")
                .isFalse();
    }

    @Test
    void aLookInVainWithinTheWindowClaimsNoTurn() {
        Waiter.Parked<String> first = parked(10 * WINDOW);
        clock.advance(WINDOW - 1);
        queue.lookedInVain(first, clock.nanos());
        assertThat(gate.shutFromNanos).isEqualTo(DUE);
        clock.advance(1);
        queue.lookedInVain(first, clock.nanos());
        assertThat(gate.shutFromNanos).isEqualTo(WINDOW);
    }

    @Test
    void aThreadThatDoesNotComeToLookIsOvertakenForABoundedTimeOnly() {
        Waiter.Parked<String> first = parked(2 * DUE);
        clock.advance(DUE - 1);
        queue.offer(inUse());
        assertThat(first.isOver()).isFalse();
        assertThat(first.isWoken()).isTrue();
        assertThat(queue.mayTake(parked(1), clock.nanos())).as("a newcomer").isTrue();
        Entry<String> taken = queue.claimUsable(clock.nanos());
        assertThat(taken).isNotNull();
        taken.acquiredNanos = clock.nanos();
        clock.advance(1);
        Entry<String> next = inUse();
        queue.offer(next);
        assertThat(first.handed()).isSameAs(next);
    }

    @Test
    void nobodyStaysBesideAReadyConnectionBecauseTheOldestDoesNotRun() {
        Waiter.Parked<String> first = parked(10 * DUE);
        Waiter.Parked<String> second = parked(10 * DUE);
        Entry<String> one = inUse();
        Entry<String> other = inUse();
        clock.advance(WINDOW);
        queue.offer(one);
        queue.offer(other);
        assertThat(store.ready())
                .as("both are left to the first, which was woken and does not run")
                .isEqualTo(2);
        clock.advance(queue.firstLookNanos(second.sinceNanos) - clock.nanos());
        assertThat(queue.mayTake(second, clock.nanos())).as("the first is due").isFalse();
        queue.serveIfReady();
        assertThat(first.isOver()).isTrue();
        assertThat(second.isOver()).isTrue();
        assertThat(store.ready()).isZero();
    }

    @Test
    void nobodyIsWokenWhileNothingIsReady() {
        Waiter.Parked<String> first = parked(10 * WINDOW);
        queue.serve();
        assertThat(first.isWoken()).isFalse();
        ready();
        queue.serve();
        assertThat(first.isWoken()).isTrue();
    }

    /**
     * The first is woken to look for one connection, and then handed another: the one it was woken for is the next
     * one's.
     */
    @Test
    void aWakeUpIsPassedOnByOneThatWasServedMeanwhile() {
        Waiter.Parked<String> first = parked(10 * DUE);
        Waiter.Parked<String> second = parked(10 * DUE);
        Entry<String> early = inUse();
        clock.advance(DUE - 1);
        queue.offer(early);
        assertThat(store.ready()).isEqualTo(1);
        clock.advance(1);
        Entry<String> late = inUse();
        queue.offer(late);
        assertThat(first.isOver()).isTrue();
        assertThat(second.isOver()).isTrue();
        assertThat(List.of(first.handed(), second.handed())).containsExactlyInAnyOrder(early, late);
    }

    @Test
    void thoseWithoutAThreadAreHandedTheirsAtOnce() {
        Waiter<String> first = deferred();
        Entry<String> entry = ready();
        queue.serve();
        assertThat(first.handed()).isSameAs(entry);
    }

    @Test
    void whatMayNotBeHandedOutIsSetAsideAndTheNextIsTaken() {
        Entry<String> suspect = ready();
        clock.advance(10);
        gate.trouble(clock.nanos());
        Entry<String> fresh = ready();
        Waiter<String> waiter = deferred();
        queue.serve();
        assertThat(waiter.handed()).isSameAs(fresh);
        assertThat(aside).containsExactly(suspect);
    }

    @Test
    void oneThatWasHandedSomethingCannotGiveUp() {
        Waiter<String> waiter = deferred();
        ready();
        queue.serve();
        assertThat(waiter.giveUp()).isFalse();
        queue.leave(waiter);
        assertThat(queue.waiting()).isZero();
    }

    @Test
    void whileItIsBarredNobodyIsServed() {
        Waiter<String> waiter = deferred();
        queue.bar(true);
        queue.offer(inUse());
        queue.serve();
        assertThat(waiter.isOver()).isFalse();
        assertThat(gate.shutFromNanos).isEqualTo(Long.MIN_VALUE);
        queue.bar(false);
        queue.serve();
        assertThat(waiter.isOver()).isTrue();
    }

    @Test
    void failingAllEndsEveryWait() {
        List<Waiter<String>> all = List.of(parked(1), deferred(), parked(1), deferred());
        queue.failAll(new IllegalStateException("closed"));
        assertThat(all)
                .allSatisfy(waiter -> org.assertj.core.api.Assertions.assertThatThrownBy(waiter::handed)
                        .hasMessage("closed"));
        all.forEach(queue::leave);
        assertThat(queue.waiting()).isZero();
    }

    @Test
    void whoeverIsAsleepIsWatchedByOneTimerHoweverManyDeadlinesThereAre() {
        SplittableRandom random = new SplittableRandom(5);
        List<Waiter.Parked<String>> all = new ArrayList<>();
        Waiter.Parked<String> patient = parked(1_000_000_000L);
        queue.watch(patient);
        for (int i = 0; i < 500; i++) {
            Waiter.Parked<String> waiter = parked(1 + random.nextInt(1_000_000));
            all.add(waiter);
            queue.watch(waiter);
            clock.advance(random.nextInt(2_000));
            all.removeIf(w -> {
                boolean over = w.deadlineNanos <= clock.nanos();
                if (over) {
                    giveUp(w);
                }
                return over;
            });
            assertThat(time.timers).isEqualTo(1);
        }
        all.forEach(this::giveUp);
        clock.advance(2_000_000);
        assertThat(time.timers).isEqualTo(1);
        queue.failAll(new IllegalStateException("closed"));
        assertThat(time.timers).isZero();
    }

    /** Random calls against a list that says who must be served. */
    @Test
    void randomCallsServeInOrderAndLoseNothing() {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Waiter<String>> waiting = new ArrayList<>();
            List<Entry<String>> inUse = new ArrayList<>();
            int connections = 1 + random.nextInt(4);
            for (int i = 0; i < connections; i++) {
                inUse.add(inUse());
            }
            for (int step = 0; step < 200; step++) {
                if (random.nextBoolean()) {
                    Waiter<String> waiter = deferred();
                    waiting.add(waiter);
                    queue.serve();
                } else if (random.nextInt(3) == 0 && !waiting.isEmpty()) {
                    giveUp(waiting.remove(random.nextInt(waiting.size())));
                } else if (!inUse.isEmpty()) {
                    Entry<String> back = inUse.remove(random.nextInt(inUse.size()));
                    back.acquiredNanos = clock.nanos() - random.nextInt(2);
                    queue.offer(back);
                }
                while (!waiting.isEmpty() && waiting.get(0).isOver()) {
                    Waiter<String> served = waiting.remove(0);
                    inUse.add(served.handed());
                    queue.leave(served);
                }
                assertThat(waiting).as("seed %d", seed).noneMatch(Waiter::isOver);
                assertThat(queue.waiting()).isEqualTo(waiting.size());
                assertThat(store.ready() + inUse.size()).isEqualTo(connections);
                assertThat(waiting.isEmpty() || store.ready() == 0).isTrue();
            }
            waiting.forEach(this::giveUp);
            Entry<String> left;
            while ((left = store.claim(0)) != null) {
                store.freePlace(left);
            }
            inUse.forEach(store::freePlace);
        }
    }
}
