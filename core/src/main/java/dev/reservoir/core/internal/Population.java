package dev.reservoir.core.internal;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Settings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * All connections that are open, in the order in which they will be too old to lend, and what is known of their succession.
 * Never touches the store. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class Population<T> {
    /** Rotation is planned at half the rate that is to be had: the other half is for failures, growth and the neighbours. */
    private static final double RATE_SHARE = 0.5;

    private final Settings settings;
    private final List<Entry<T>> byAge = new ArrayList<>();
    private final Set<Entry<T>> overflow = new LinkedHashSet<>();
    private long[] starts = new long[16];
    private long[] notBefore = new long[16];
    private int marked;
    private int aging;
    private double openNanosSmoothed;

    Population(Settings settings) {
        this.settings = settings;
    }

    /** Connections within the maximum and the successors' allowance. */
    int size() {
        return byAge.size();
    }

    int overflow() {
        return overflow.size();
    }

    /** Connections that will retire when they come back. */
    int marked() {
        return marked;
    }

    /** Connections whose successor is due; they are the first of those not marked. */
    int aging() {
        return aging;
    }

    void add(Entry<T> entry) {
        entry.unusedSinceNanos = entry.bornNanos();
        if (entry.isOverflow()) {
            overflow.add(entry);
        } else {
            byAge.add(placeOf(entry.lendUntilNanos() + 1), entry);
        }
    }

    void remove(Entry<T> entry) {
        if (entry.isOverflow()) {
            overflow.remove(entry);
            return;
        }
        int at = indexOf(entry);
        if (entry.markCounted) {
            marked--;
        } else {
            noLongerAging(at);
        }
        byAge.remove(at);
    }

    void mark(Entry<T> entry, DiscardReason reason) {
        entry.mark = reason;
        if (!entry.isOverflow()) {
            noLongerAging(indexOf(entry));
            entry.markCounted = true;
            marked++;
        }
    }

    /** The aging are the first that are not marked; exact enough until the next scan counts again. */
    private void noLongerAging(int at) {
        if (aging > 0 && at < aging + marked) {
            aging--;
        }
    }

    /** Those of {@link #size}, copied, so that they can be removed on the way. */
    List<Entry<T>> snapshot() {
        return List.copyOf(byAge);
    }

    /** Those of {@link #size} and the temporary ones. */
    List<Entry<T>> everyone() {
        List<Entry<T>> all = new ArrayList<>(byAge);
        all.addAll(overflow);
        return all;
    }

    /** Those whose successor is due, oldest first. */
    List<Entry<T>> agingOnes() {
        return unmarked(aging);
    }

    /** The first that are not marked, at most so many, oldest first. */
    List<Entry<T>> unmarked(int most) {
        List<Entry<T>> chosen = new ArrayList<>();
        for (int i = 0; i < byAge.size() && chosen.size() < most; i++) {
            if (byAge.get(i).mark == null) {
                chosen.add(byAge.get(i));
            }
        }
        return chosen;
    }

    /** Remembers since when an entry has not been used, as far as a look once a scan can tell. */
    void noteUse(Entry<T> entry, long nowNanos) {
        long uses = entry.uses;
        if (uses != entry.usesSeen || entry.onLoan) {
            entry.usesSeen = uses;
            entry.unusedSinceNanos = nowNanos;
        }
    }

    /** Those that have shown no sign of life for so long, the longest first. */
    List<Entry<T>> quietLongerThan(long nanos, long nowNanos) {
        List<Entry<T>> quiet = new ArrayList<>();
        for (Entry<T> entry : byAge) {
            if (nowNanos - entry.quietSinceNanos() >= nanos) {
                quiet.add(entry);
            }
        }
        quiet.sort(Comparator.comparingLong(Entry::quietSinceNanos));
        return quiet;
    }

    void noteOpenTime(long nanos) {
        openNanosSmoothed = openNanosSmoothed == 0 ? nanos : openNanosSmoothed + (nanos - openNanosSmoothed) / 8;
    }

    /** Finds out how many connections need a successor by now. */
    void planSuccession(long nowNanos, double ratePerSecond, int maxOpen) {
        int count = 0;
        if (starts.length < byAge.size()) {
            starts = new long[byAge.size() * 2];
            notBefore = new long[byAge.size() * 2];
        }
        for (Entry<T> entry : byAge) {
            if (entry.mark == null) {
                starts[count] = entry.lendUntilNanos();
                notBefore[count] = entry.bornNanos() + (entry.lendUntilNanos() - entry.bornNanos()) / 2;
                count++;
            }
        }
        int abreast = Math.max(1, Math.min(settings.successorAllowanceFor(maxOpen), settings.opensInFlightMax()));
        long byRate = (long) (1e9 / (ratePerSecond * RATE_SHARE));
        long byHandshake = (long) (2 * openNanosSmoothed / abreast);
        long lead = Math.min(
                2 * settings.scanIntervalNanos() + (long) (4 * openNanosSmoothed), settings.connectTimeoutNanos());
        aging = Succession.aging(starts, notBefore, count, nowNanos, lead, Math.max(byRate, byHandshake));
    }

    private int indexOf(Entry<T> entry) {
        for (int i = placeOf(entry.lendUntilNanos()); i < byAge.size(); i++) {
            if (byAge.get(i) == entry) {
                return i;
            }
        }
        throw new IllegalStateException("bug: " + entry + " is not in the population");
    }

    /** The first place whose entry ends no earlier than this. */
    private int placeOf(long lendUntilNanos) {
        int low = 0;
        int high = byAge.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (byAge.get(middle).lendUntilNanos() < lendUntilNanos) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
