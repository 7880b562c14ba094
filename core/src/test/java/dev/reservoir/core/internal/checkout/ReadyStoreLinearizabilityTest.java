package dev.reservoir.core.internal.checkout;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;

/**
 * Every outcome of concurrent use of one group of the store is one that some order of the calls would have had.
 *
 * <p>In one group the connection with the lowest bit is always taken, so that the order explains every answer. Over
 * several groups it depends on where a caller looks first which one it gets, and {@link ReadyStoreStressTest} looks at
 * what must hold then. Each thread gives back only what it has taken, as callers do.
 */
class ReadyStoreLinearizabilityTest {
    private static final int CONNECTIONS = 3;
    private static final int THREADS = 3;

    @Test
    void theModelCheckerFindsNoOutcomeThatNoOrderExplains() {
        new ModelCheckingOptions()
                .threads(THREADS)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(2)
                .iterations(15)
                .invocationsPerIteration(500)
                .checkObstructionFreedom(true)
                .sequentialSpecification(Model.class)
                .check(OneGroup.class);
    }

    @Test
    void stressFindsNoOutcomeThatNoOrderExplains() {
        new StressOptions()
                .threads(THREADS)
                .actorsPerThread(4)
                .actorsBefore(2)
                .actorsAfter(2)
                .iterations(15)
                .invocationsPerIteration(1_000)
                .sequentialSpecification(Model.class)
                .check(OneGroup.class);
    }

    /** The store with one group of connections, all ready at first. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    @Param(name = "number", gen = IntGen.class, conf = "0:2")
    public static class OneGroup {
        private final ReadyStore<Integer> store = new ReadyStore<>(CONNECTIONS, 1);
        private final List<Entry<Integer>> entries = new ArrayList<>();
        private final List<Deque<Entry<Integer>>> hands = new ArrayList<>();

        public OneGroup() {
            for (int i = 0; i < CONNECTIONS; i++) {
                Entry<Integer> entry = new Entry<>(i, 0, 1_000, 0, false, null);
                entries.add(entry);
                store.place(entry);
                store.putBack(entry);
            }
            for (int i = 0; i <= THREADS + 1; i++) {
                hands.add(new ArrayDeque<>());
            }
        }

        @Operation(params = "thread")
        public int take(int thread) {
            Entry<Integer> entry = store.claim(thread);
            if (entry == null) {
                return -1;
            }
            hands.get(thread).push(entry);
            return entry.connection();
        }

        @Operation(params = {"thread", "number"})
        public boolean takeThis(int thread, int number) {
            boolean taken = store.claim(entries.get(number));
            if (taken) {
                hands.get(thread).push(entries.get(number));
            }
            return taken;
        }

        @Operation(params = "thread")
        public int giveBack(int thread) {
            Entry<Integer> entry = hands.get(thread).poll();
            if (entry == null) {
                return -1;
            }
            store.putBack(entry);
            return entry.connection();
        }

        @Operation
        public int ready() {
            return store.ready();
        }
    }

    /** The same, one call at a time. */
    public static class Model {
        private final TreeSet<Integer> ready = new TreeSet<>();
        private final List<Deque<Integer>> hands = new ArrayList<>();

        public Model() {
            for (int i = 0; i < CONNECTIONS; i++) {
                ready.add(i);
            }
            for (int i = 0; i <= THREADS + 1; i++) {
                hands.add(new ArrayDeque<>());
            }
        }

        public int take(int thread) {
            Integer first = ready.pollFirst();
            if (first == null) {
                return -1;
            }
            hands.get(thread).push(first);
            return first;
        }

        public boolean takeThis(int thread, int number) {
            boolean taken = ready.remove(number);
            if (taken) {
                hands.get(thread).push(number);
            }
            return taken;
        }

        public int giveBack(int thread) {
            Integer number = hands.get(thread).poll();
            if (number == null) {
                return -1;
            }
            ready.add(number);
            return number;
        }

        public int ready() {
            return ready.size();
        }
    }
}
