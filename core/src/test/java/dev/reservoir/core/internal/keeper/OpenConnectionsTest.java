package dev.reservoir.core.internal.keeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Settings;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.ReadyStore;
import dev.reservoir.core.internal.stats.CurrentSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The open connections give the same answers as a look at every entry would give. */
class OpenConnectionsTest {
    private static final int SEEDS = 200;
    private static final int STEPS = 300;

    private final OpenConnections<String> openConnections =
            new OpenConnections<>(new CurrentSettings(Settings.builder().build()));
    private final ReadyStore<String> store = new ReadyStore<>(64, 4);

    private @Nullable Entry<String> longestUnvalidatedByDefinition() {
        Entry<String> longest = null;
        for (Entry<String> entry : openConnections.snapshot()) {
            boolean eligible = !entry.isValidating() && entry.mark() == null && store.isReady(entry);
            if (eligible && (longest == null || entry.shownAliveNanos() < longest.shownAliveNanos())) {
                longest = entry;
            }
        }
        return longest;
    }

    private void open(SplittableRandom random, long now) {
        Entry<String> entry = new Entry<>("connection", now, 1_000 + random.nextInt(5) * 100L, 100, false, null);
        store.place(entry);
        openConnections.add(entry);
        store.putBack(entry);
    }

    private void close(Entry<String> entry) {
        openConnections.remove(entry);
        assertThat(store.claim(entry)).isTrue();
        store.freePlace(entry);
    }

    /** Uses, validates, marks or removes an entry, or opens another one. */
    private void change(SplittableRandom random, long now) {
        List<Entry<String>> all = new ArrayList<>(openConnections.snapshot());
        int what = random.nextInt(10);
        if (all.isEmpty() || what < 2) {
            open(random, now);
            return;
        }
        Entry<String> entry = all.get(random.nextInt(all.size()));
        if (what < 5) {
            entry.noteWorks(now);
        } else if (what < 8) {
            entry.setValidatedNanos(now);
        } else if (what == 8) {
            entry.setValidating(!entry.isValidating());
        } else if (random.nextBoolean() && entry.mark() == null) {
            openConnections.mark(entry, DiscardReason.EVICTED);
        } else {
            close(entry);
        }
    }

    @Test
    void theLongestUnvalidatedIsTheOneThatTheDefinitionNames() {
        for (long seed = 0; seed < SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            openConnections.snapshot().forEach(this::close);
            for (long now = 1; now <= STEPS; now++) {
                change(random, now);
                assertThat(openConnections.longestUnvalidated(store))
                        .as("seed %d, step %d", seed, now)
                        .isSameAs(longestUnvalidatedByDefinition());
            }
        }
    }
}
