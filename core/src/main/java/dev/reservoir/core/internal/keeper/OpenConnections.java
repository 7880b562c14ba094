package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.ReadyStore;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.internal.stats.EngineCounters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All connections that are open, in the order in which they will be too old to lend, and what is known of their succession.
 * Never touches the store. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class OpenConnections<T> {
    /** Rotation is planned at half the rate that is to be had: the other half is for failures, growth and the neighbours. */
    private static final double RATE_SHARE = 0.5;

    /** So often, and for so long, an entry must seem to be nobody's before it counts as lost: a busy machine is slow, too. */
    private static final int STRAY_LOOKS = 3;

    private static final long STRAY_NANOS = 10_000_000_000L;

    private final CurrentSettings settings;
    private final ArrayList<Entry<T>> byAge = new ArrayList<>(16);
    private final Set<Entry<T>> overflow = new LinkedHashSet<>();
    private final Look<T> look = new Look<>();

    /** Of each in {@link #byAge}, side by side: until when it may be lent, and when half of that time is over. */
    private long[] ends = new long[16];

    private long[] halves = new long[16];

    /** Of each in {@link #byAge}, a time no later than it last showed that it works. That time only grows. */
    private long[] shownAlive = new long[16];

    private int marked;
    private int aging;
    private double openNanosSmoothed;

    OpenConnections(CurrentSettings settings) {
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
            int at = placeOf(entry.usableUntilNanos() + 1);
            int behind = byAge.size() - at;
            if (byAge.size() == ends.length) {
                grow(2 * ends.length);
            }
            System.arraycopy(ends, at, ends, at + 1, behind);
            System.arraycopy(halves, at, halves, at + 1, behind);
            System.arraycopy(shownAlive, at, shownAlive, at + 1, behind);
            ends[at] = entry.usableUntilNanos();
            halves[at] = entry.bornNanos() + (entry.usableUntilNanos() - entry.bornNanos()) / 2;
            shownAlive[at] = entry.shownAliveNanos();
            byAge.add(at, entry);
        }
    }

    /** Takes all the memory that is needed before anything changes, so that an error leaves the lists as they were. */
    private void grow(int capacity) {
        long[] moreEnds = Arrays.copyOf(ends, capacity);
        long[] moreHalves = Arrays.copyOf(halves, capacity);
        long[] moreShownAlive = Arrays.copyOf(shownAlive, capacity);
        byAge.ensureCapacity(capacity);
        ends = moreEnds;
        halves = moreHalves;
        shownAlive = moreShownAlive;
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
        int behind = byAge.size() - at;
        System.arraycopy(ends, at + 1, ends, at, behind);
        System.arraycopy(halves, at + 1, halves, at, behind);
        System.arraycopy(shownAlive, at + 1, shownAlive, at, behind);
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

    /** Checkouts so far, those under way included. */
    long checkouts(EngineCounters counters) {
        long sum = counters.usesOfRetired;
        for (Entry<T> entry : everyone()) {
            sum += entry.uses;
        }
        return sum;
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

    /**
     * What a scan finds, each entry in one of the lists at most.
     *
     * @param <T> the connection
     */
    static final class Look<T> {
        /** May not be lent any more, by their age. */
        final List<Entry<T>> aged = new ArrayList<>();

        /** Marked to retire. */
        final List<Entry<T>> marked = new ArrayList<>();

        /** Last proven before the last sign of trouble. */
        final List<Entry<T>> suspect = new ArrayList<>();

        /** Neither used nor proven for too long, the longest first. */
        final List<Entry<T>> quiet = new ArrayList<>();

        /** Not ready, not in use and not with the keeper, at several looks in a row: an error lost them on their way. */
        final List<Entry<T>> stray = new ArrayList<>();

        private void clear() {
            stray.clear();
            aged.clear();
            marked.clear();
            suspect.clear();
            quiet.clear();
        }
    }

    /** Finds those that are too old to be lent. What is found holds until the next look. */
    Look<T> glance(long nowNanos) {
        look.clear();
        for (int i = 0; i < byAge.size() && nowNanos >= ends[i]; i++) {
            look.aged.add(byAge.get(i));
        }
        return look;
    }

    /**
     * Looks at every entry once, and remembers of each since when it has not been used. What is found holds until the next
     * look.
     */
    Look<T> look(long nowNanos, long troubleNanos, ReadyStore<T> store) {
        look.clear();
        long keepalive = settings.get().keepaliveNanos() == 0
                ? Long.MAX_VALUE
                : settings.get().keepaliveNanos();
        for (int i = 0; i < byAge.size(); i++) {
            Entry<T> entry = byAge.get(i);
            noteUse(entry, nowNanos);
            if (isStray(entry, nowNanos, store)) {
                look.stray.add(entry);
            } else if (nowNanos >= ends[i]) {
                look.aged.add(entry);
            } else if (entry.mark != null) {
                look.marked.add(entry);
            } else if (entry.validatedNanos < troubleNanos) {
                look.suspect.add(entry);
            } else if (nowNanos - entry.quietSinceNanos() >= keepalive) {
                look.quiet.add(entry);
            }
        }
        for (Entry<T> entry : overflow) {
            if (isStray(entry, nowNanos, store)) {
                look.stray.add(entry);
            }
        }
        look.quiet.sort(Comparator.comparingLong(Entry::quietSinceNanos));
        return look;
    }

    /**
     * Whoever owns an entry that is neither ready nor in use has it for a moment only: a waiter that is about to take it, or an
     * event on its way to the keeper. If that lasts, an error broke off what was to happen.
     */
    private static <T> boolean isStray(Entry<T> entry, long nowNanos, ReadyStore<T> store) {
        if (entry.inUse || entry.validating || store.isReady(entry)) {
            entry.strayLooks = 0;
            return false;
        }
        if (entry.strayLooks++ == 0) {
            entry.straySinceNanos = nowNanos;
        }
        return entry.strayLooks >= STRAY_LOOKS && nowNanos - entry.straySinceNanos >= STRAY_NANOS;
    }

    /**
     * The ready one that was validated longest ago; null if none is ready. Reads an entry only if it may be that one: entries lie
     * all over the memory.
     */
    @Nullable
    Entry<T> longestUnvalidated(ReadyStore<T> store) {
        Entry<T> longest = null;
        long since = Long.MAX_VALUE;
        long[] alive = shownAlive;
        int size = byAge.size();
        for (int i = 0; i < size; i++) {
            if (alive[i] < since) {
                Entry<T> entry = byAge.get(i);
                alive[i] = entry.shownAliveNanos();
                if (alive[i] < since && !entry.validating && entry.mark == null && store.isReady(entry)) {
                    longest = entry;
                    since = alive[i];
                }
            }
        }
        return longest;
    }

    /** The ready one that was validated last, or null. */
    @Nullable
    Entry<T> lastValidated(ReadyStore<T> store) {
        Entry<T> last = null;
        for (Entry<T> entry : byAge) {
            if ((last == null || entry.validatedNanos > last.validatedNanos)
                    && !entry.validating
                    && entry.mark == null
                    && store.isReady(entry)) {
                last = entry;
            }
        }
        return last;
    }

    private void noteUse(Entry<T> entry, long nowNanos) {
        long uses = entry.uses;
        if (uses != entry.usesSeen || entry.inUse) {
            entry.usesSeen = uses;
            entry.unusedSinceNanos = nowNanos;
        }
    }

    void noteOpenTime(long nanos) {
        openNanosSmoothed = openNanosSmoothed == 0 ? nanos : openNanosSmoothed + (nanos - openNanosSmoothed) / 8;
    }

    /** Finds out how many connections need a successor by now. */
    void planSuccession(long nowNanos, double ratePerSecond, int maxOpen) {
        int staying = byAge.size();
        long[] starts = ends;
        long[] notBefore = halves;
        if (marked != 0) {
            starts = new long[byAge.size()];
            notBefore = new long[byAge.size()];
            staying = 0;
            for (int i = 0; i < byAge.size(); i++) {
                if (byAge.get(i).mark == null) {
                    starts[staying] = ends[i];
                    notBefore[staying] = halves[i];
                    staying++;
                }
            }
        }
        int abreast = Math.max(
                1,
                Math.min(
                        settings.get().successorAllowanceFor(maxOpen),
                        settings.get().opensInFlightMax()));
        long byRate = (long) (1e9 / (ratePerSecond * RATE_SHARE));
        long byHandshake = (long) (2 * openNanosSmoothed / abreast);
        long lead = Math.min(
                2 * settings.get().scanIntervalNanos() + (long) (4 * openNanosSmoothed),
                settings.get().connectTimeoutNanos());
        aging = Succession.aging(starts, notBefore, staying, nowNanos, lead, Math.max(byRate, byHandshake));
    }

    private int indexOf(Entry<T> entry) {
        for (int i = placeOf(entry.usableUntilNanos()); i < byAge.size(); i++) {
            if (byAge.get(i) == entry) {
                return i;
            }
        }
        throw new IllegalStateException("bug: " + entry + " is not in the population");
    }

    /** The first place whose entry ends no earlier than this. */
    private int placeOf(long usableUntilNanos) {
        int low = 0;
        int high = byAge.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ends[middle] < usableUntilNanos) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
