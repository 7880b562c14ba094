package dev.reservoir.core.internal.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WaiterChainTest {
    private final WaiterChain<String> chain = new WaiterChain<>();

    @Test
    void keepsTheOrderOfArrival() {
        List<Waiter<String>> added = add(3);

        assertThat(drain()).containsExactlyElementsOf(added);
        assertThat(chain.first()).isNull();
    }

    @Test
    void removesAWaiterOnlyWhileItIsTheFirst() {
        List<Waiter<String>> added = add(2);

        assertThat(chain.removeFirst(added.get(1))).isFalse();
        assertThat(chain.removeFirst(added.get(0))).isTrue();
        assertThat(chain.removeFirst(added.get(0))).isFalse();
        assertThat(chain.first()).isSameAs(added.get(1));
    }

    @Test
    void acceptsWaitersAfterItWasEmptied() {
        add(2);
        drain();
        List<Waiter<String>> later = add(2);

        assertThat(drain()).containsExactlyElementsOf(later);
    }

    @Test
    void takesEndedWaitersOutOfTheMiddle() {
        List<Waiter<String>> added = add(6);
        for (int i : new int[] {1, 2, 4}) {
            added.get(i).giveUp();
        }
        chain.removeEnded();

        assertThat(all()).containsExactly(added.get(0), added.get(3), added.get(5));
    }

    @Test
    void leavesTheFirstAndTheLastAlthoughTheyHaveEnded() {
        List<Waiter<String>> added = add(4);
        added.forEach(Waiter::giveUp);
        chain.removeEnded();

        assertThat(all()).containsExactly(added.get(0), added.get(3));
        add(1);
        assertThat(all()).hasSize(3);
    }

    @Test
    void doesNothingWhenEmpty() {
        chain.removeEnded();
        assertThat(all()).isEmpty();
        List<Waiter<String>> one = add(1);
        chain.removeEnded();
        assertThat(all()).containsExactlyElementsOf(one);
    }

    /** Threads add, remove the first, end waiters anywhere and clean up, all at the same time. */
    @Test
    void losesNoWaiterAndRemovesEachOnceWhileThreadsCompete() throws Exception {
        int adders = 3;
        int each = 30_000;
        AtomicInteger removedAlive = new AtomicInteger();
        AtomicInteger gaveUp = new AtomicInteger();
        AtomicBoolean allAdded = new AtomicBoolean();
        ExecutorService executor = Executors.newCachedThreadPool();
        try {
            List<Future<?>> adding = new ArrayList<>();
            for (int a = 0; a < adders; a++) {
                adding.add(executor.submit(() -> addAndSometimesGiveUp(each, gaveUp)));
            }
            Callable<Void> remover = () -> {
                while (!allAdded.get() || chain.first() != null) {
                    Waiter<String> first = chain.first();
                    if (first != null && first.giveUp()) {
                        removedAlive.incrementAndGet();
                    }
                    if (first != null) {
                        chain.removeFirst(first);
                    }
                }
                return null;
            };
            List<Future<?>> removing = List.of(executor.submit(remover), executor.submit(remover));
            Future<?> cleaning = executor.submit(() -> {
                while (!allAdded.get()) {
                    chain.removeEnded();
                    chain.forEach(Waiter::isOver);
                }
            });
            for (Future<?> future : adding) {
                future.get(60, TimeUnit.SECONDS);
            }
            allAdded.set(true);
            for (Future<?> future : removing) {
                future.get(60, TimeUnit.SECONDS);
            }
            cleaning.get(60, TimeUnit.SECONDS);
        } finally {
            executor.shutdownNow();
        }
        assertThat(removedAlive.get() + gaveUp.get()).isEqualTo(adders * each);
        assertThat(gaveUp.get()).isPositive();
        assertThat(chain.first()).isNull();
    }

    private void addAndSometimesGiveUp(int times, AtomicInteger gaveUp) {
        List<Waiter<String>> recent = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            Waiter<String> waiter = waiter();
            chain.add(waiter);
            recent.add(waiter);
            if (recent.size() == 16) {
                for (int at = 0; at < 16; at += 2) {
                    gaveUp.addAndGet(recent.get(at).giveUp() ? 1 : 0);
                }
                recent.clear();
            }
        }
    }

    private List<Waiter<String>> add(int count) {
        List<Waiter<String>> added = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Waiter<String> waiter = waiter();
            added.add(waiter);
            chain.add(waiter);
        }
        return added;
    }

    private List<Waiter<String>> drain() {
        List<Waiter<String>> drained = new ArrayList<>();
        for (Waiter<String> first = chain.first(); first != null; first = chain.first()) {
            drained.add(first);
            assertThat(chain.removeFirst(first)).isTrue();
        }
        return drained;
    }

    private List<Waiter<String>> all() {
        List<Waiter<String>> all = new ArrayList<>();
        chain.forEach(all::add);
        return all;
    }

    private static Waiter<String> waiter() {
        return new Waiter.Deferred<>(0, ended -> {});
    }
}
