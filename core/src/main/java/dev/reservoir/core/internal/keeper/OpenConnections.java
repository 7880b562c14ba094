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
 * Holds all open connections, in the order in which their guard windows begin, and knows which ones need a successor.
 * Never claims a connection and never decides what happens to it. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class OpenConnections<T> {
    /**
     * Part of the available rate that is planned for successors. The other half remains for failures, growth and other
     * processes.
     */
    private static final double RATE_SHARE = 0.5;

    /**
     * How many checks in a row, and for how long, an entry must seem to have no owner before it counts as lost. A busy
     * machine is slow as well, so both bounds are generous.
     */
    private static final int STRAY_CHECKS_MIN = 3;

    private static final long STRAY_NANOS_MIN = 10_000_000_000L;

    private final CurrentSettings settings;
    private final ArrayList<Entry<T>> byAge = new ArrayList<>(16);
    private final Set<Entry<T>> overflow = new LinkedHashSet<>();
    private final Look<T> look = new Look<>();

    /**
     * For each entry of {@link #byAge}, at the same index: the time when its guard window begins, and the middle of the
     * time from its birth until then.
     */
    private long[] ends = new long[16];

    private long[] halves = new long[16];

    /**
     * For each entry of {@link #byAge}, at the same index: a time no later than when it last showed that it works. That
     * time only grows.
     */
    private long[] shownAlive = new long[16];

    private int marked;
    private int aging;
    private double openNanosSmoothed;

    /**
     * Whether an entry may have checks that found no owner. If none has, a look writes to no entry, so that it does not
     * take their memory away from the processors of the callers.
     */
    private boolean ownerlessSeen;

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

    /** Connections that retire on release. */
    int marked() {
        return marked;
    }

    /** Connections whose successor is due. They are the first of the unmarked ones. */
    int aging() {
        return aging;
    }

    void add(Entry<T> entry) {
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

    /** Allocates all memory before it changes anything, so that an error leaves the lists as they were. */
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
        if (entry.isMarkCounted()) {
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
        entry.setMark(reason);
        if (!entry.isOverflow()) {
            noLongerAging(indexOf(entry));
            entry.setMarkCounted();
            marked++;
        }
    }

    /** The aging connections are the first unmarked ones. This is exact enough until the next scan counts again. */
    private void noLongerAging(int at) {
        if (aging > 0 && at < aging + marked) {
            aging--;
        }
    }

    /** A copy of the connections of {@link #size}, so that the caller can remove some while it iterates. */
    List<Entry<T>> snapshot() {
        return List.copyOf(byAge);
    }

    /** The connections of {@link #size} and the temporary ones. */
    List<Entry<T>> everyone() {
        List<Entry<T>> all = new ArrayList<>(byAge);
        all.addAll(overflow);
        return all;
    }

    /** All checkouts so far, including those under way. */
    long checkouts(EngineCounters counters) {
        long sum = counters.usesOfRetired();
        for (Entry<T> entry : everyone()) {
            sum += entry.uses();
        }
        return sum;
    }

    /** Connections whose successor is due, oldest first. */
    List<Entry<T>> agingConnections() {
        return unmarked(aging);
    }

    /** The first unmarked connections, at most this many, oldest first. */
    List<Entry<T>> unmarked(int max) {
        List<Entry<T>> chosen = new ArrayList<>();
        for (int i = 0; i < byAge.size() && chosen.size() < max; i++) {
            if (byAge.get(i).mark() == null) {
                chosen.add(byAge.get(i));
            }
        }
        return chosen;
    }

    /**
     * The findings of a scan. Each entry is in at most one of the lists.
     *
     * @param <T> the connection
     */
    static final class Look<T> {
        /** Connections that are too old to be handed out. */
        final List<Entry<T>> aged = new ArrayList<>();

        /** Connections that are marked to retire. */
        final List<Entry<T>> marked = new ArrayList<>();

        /** Connections that were last validated before the last sign of trouble. */
        final List<Entry<T>> suspect = new ArrayList<>();

        /** Connections that were neither used nor validated for too long, the longest first. */
        final List<Entry<T>> quiet = new ArrayList<>();

        /**
         * Connections that several checks in a row found neither ready nor in use nor with the keeper. An error lost
         * them on their way.
         */
        final List<Entry<T>> stray = new ArrayList<>();

        private void clear() {
            stray.clear();
            aged.clear();
            marked.clear();
            suspect.clear();
            quiet.clear();
        }
    }

    /** Finds the connections that are too old to be handed out. The result is valid until the next look. */
    Look<T> scanAges(long nowNanos) {
        look.clear();
        for (int i = 0; i < byAge.size() && nowNanos >= ends[i]; i++) {
            look.aged.add(byAge.get(i));
        }
        return look;
    }

    /**
     * Looks at every entry once, and records since when each has been unused. The result is valid until the next look.
     */
    Look<T> look(long nowNanos, long troubleNanos, ReadyStore<T> store) {
        look.clear();
        boolean clears = ownerlessSeen;
        boolean found = false;
        // If an error ends this look, the next one clears.
        ownerlessSeen = true;
        long keepalive = settings.get().keepaliveNanos() == 0
                ? Long.MAX_VALUE
                : settings.get().keepaliveNanos();
        for (int i = 0; i < byAge.size(); i++) {
            Entry<T> entry = byAge.get(i);
            entry.noteUse(nowNanos);
            boolean ownerless = isOwnerless(entry, store, clears);
            found |= ownerless;
            if (ownerless && isStray(entry, nowNanos)) {
                look.stray.add(entry);
            } else if (nowNanos >= ends[i]) {
                look.aged.add(entry);
            } else if (entry.mark() != null) {
                look.marked.add(entry);
            } else if (entry.validatedNanos() < troubleNanos) {
                look.suspect.add(entry);
            } else if (nowNanos - entry.quietSinceNanos() >= keepalive) {
                look.quiet.add(entry);
            }
        }
        for (Entry<T> entry : overflow) {
            boolean ownerless = isOwnerless(entry, store, clears);
            found |= ownerless;
            if (ownerless && isStray(entry, nowNanos)) {
                look.stray.add(entry);
            }
        }
        ownerlessSeen = found;
        look.quiet.sort(Comparator.comparingLong(Entry::quietSinceNanos));
        return look;
    }

    /**
     * An entry that is neither ready nor in use has an owner only for a moment: a waiter that is about to take it, or
     * an event on its way to the keeper. If the moment lasts, an error interrupted that owner.
     */
    private static <T> boolean isStray(Entry<T> entry, long nowNanos) {
        return entry.addOwnerlessCheck(nowNanos) >= STRAY_CHECKS_MIN
                && nowNanos - entry.ownerlessSinceNanos() >= STRAY_NANOS_MIN;
    }

    private static <T> boolean isOwnerless(Entry<T> entry, ReadyStore<T> store, boolean clears) {
        if (!entry.isInUse() && !entry.isValidating() && !store.isReady(entry)) {
            return true;
        }
        if (clears) {
            entry.clearOwnerlessChecks();
        }
        return false;
    }

    /**
     * The ready connection that was validated longest ago, or null if none is ready. Reads an entry only if it may be
     * the one, because entries are scattered over memory.
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
                if (alive[i] < since && !entry.isValidating() && entry.mark() == null && store.isReady(entry)) {
                    longest = entry;
                    since = alive[i];
                }
            }
        }
        return longest;
    }

    /** The ready connection that was validated most recently, or null. */
    @Nullable
    Entry<T> lastValidated(ReadyStore<T> store) {
        Entry<T> last = null;
        for (Entry<T> entry : byAge) {
            if ((last == null || entry.validatedNanos() > last.validatedNanos())
                    && !entry.isValidating()
                    && entry.mark() == null
                    && store.isReady(entry)) {
                last = entry;
            }
        }
        return last;
    }

    void noteOpenTime(long nanos) {
        openNanosSmoothed = openNanosSmoothed == 0 ? nanos : openNanosSmoothed + (nanos - openNanosSmoothed) / 8;
    }

    /** Computes how many connections need a successor by now. */
    void planSuccession(long nowNanos, double ratePerSecond, int maxOpen) {
        int staying = byAge.size();
        long[] starts = ends;
        long[] notBefore = halves;
        if (marked != 0) {
            starts = new long[byAge.size()];
            notBefore = new long[byAge.size()];
            staying = 0;
            for (int i = 0; i < byAge.size(); i++) {
                if (byAge.get(i).mark() == null) {
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
        throw new IllegalStateException("bug: " + entry + " is not among the open connections");
    }

    /** The first index whose entry ends no earlier than this. */
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
