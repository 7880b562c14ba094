package dev.reservoir.core.internal.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.kit.Threads;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No connection in the store is ever owned by two, and none is lost, over any number of groups. */
class ReadyStoreStressTest {

    private static List<Entry<Integer>> fill(ReadyStore<Integer> store, int count) {
        List<Entry<Integer>> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Entry<Integer> entry = new Entry<>(i, 0, 1_000, 0, false, null);
            entries.add(entry);
            store.place(entry);
            store.putBack(entry);
        }
        return entries;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 1", "64, 1", "65, 2", "7, 16", "200, 8"})
    void oneOwnerAtATimeAndNoneLost(int connections, int lanes) throws Exception {
        ReadyStore<Integer> store = new ReadyStore<>(connections, lanes);
        List<Entry<Integer>> entries = fill(store, connections);
        AtomicIntegerArray owners = new AtomicIntegerArray(connections);
        AtomicInteger shared = new AtomicInteger();
        Threads.run(6, thread -> {
            SplittableRandom random = new SplittableRandom(thread);
            for (int i = 0; i < 40_000; i++) {
                Entry<Integer> entry;
                if (random.nextInt(8) == 0) {
                    Entry<Integer> wanted = entries.get(random.nextInt(connections));
                    entry = store.claim(wanted) ? wanted : null;
                } else {
                    entry = store.claim(random.nextLong());
                }
                if (entry != null) {
                    if (owners.incrementAndGet(entry.connection()) != 1) {
                        shared.incrementAndGet();
                    }
                    owners.decrementAndGet(entry.connection());
                    store.putBack(entry);
                }
            }
        });
        assertThat(shared).hasValue(0);
        assertThat(store.ready()).isEqualTo(connections);
        Set<Entry<Integer>> all = new HashSet<>();
        Entry<Integer> entry;
        while ((entry = store.claim(all.size())) != null) {
            assertThat(all.add(entry)).isTrue();
        }
        assertThat(all).containsExactlyInAnyOrderElementsOf(entries);
    }

    /** As many connections as threads, each of which holds one at most: there is always one for each to find. */
    @Test
    void aCallerFindsOneWhileThereAreAsManyAsCallers() throws Exception {
        int threads = 4;
        ReadyStore<Integer> store = new ReadyStore<>(threads, 1);
        fill(store, threads);
        AtomicInteger misses = new AtomicInteger();
        Threads.run(threads, thread -> {
            for (int i = 0; i < 50_000; i++) {
                Entry<Integer> entry = store.claim(thread);
                if (entry == null) {
                    misses.incrementAndGet();
                } else {
                    store.putBack(entry);
                }
            }
        });
        // In one group a claim that answers null has seen it empty, which it never was.
        assertThat(misses).hasValue(0);
    }

    /** Callers that know only the old groups must not begin at a new one. */
    @Test
    void groupsAreAddedWhileOthersAreHandedOut() throws Exception {
        int added = 300;
        ReadyStore<Integer> store = new ReadyStore<>(1, 4);
        AtomicBoolean done = new AtomicBoolean();
        Threads.run(4, thread -> {
            if (thread == 0) {
                fill(store, added);
                done.set(true);
                return;
            }
            while (!done.get()) {
                Entry<Integer> entry = store.claim(thread);
                if (entry != null) {
                    store.putBack(entry);
                }
            }
        });
        assertThat(store.ready()).isEqualTo(added);
    }

    /** One thread plays the keeper: it retires and places connections while the others use them. */
    @Test
    void connectionsComeAndGoWhileOthersAreHandedOut() throws Exception {
        ReadyStore<Integer> store = new ReadyStore<>(20, 4);
        List<Entry<Integer>> entries = fill(store, 20);
        Set<Entry<Integer>> gone = java.util.concurrent.ConcurrentHashMap.newKeySet();
        AtomicInteger ghosts = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        Threads.run(5, thread -> {
            if (thread == 0) {
                SplittableRandom random = new SplittableRandom(3);
                for (int i = 0; i < 30_000; i++) {
                    Entry<Integer> entry = entries.get(random.nextInt(entries.size()));
                    if (store.claim(entry)) {
                        gone.add(entry);
                        store.freePlace(entry);
                        entries.remove(entry);
                    }
                    if (entries.size() < 40 && random.nextBoolean()) {
                        entries.addAll(fill(store, 1));
                    }
                    if (entries.isEmpty()) {
                        entries.addAll(fill(store, 5));
                    }
                }
                over.set(true);
                return;
            }
            while (!over.get()) {
                Entry<Integer> entry = store.claim(thread);
                if (entry != null) {
                    if (gone.contains(entry)) {
                        ghosts.incrementAndGet();
                    }
                    store.putBack(entry);
                }
            }
        });
        assertThat(ghosts).hasValue(0);
        assertThat(store.ready()).isEqualTo(entries.size());
    }
}
