package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.calls.ListenerGuard;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.ReadyStore;
import dev.reservoir.core.internal.opening.Closings;
import dev.reservoir.core.internal.stats.EngineCounters;
import dev.reservoir.core.spi.Time;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes connections out of the reservoir: those that are ready at once, those on loan when they come back. What becomes of
 * them then is for {@link Closings}. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class Retirements<T> {
    /** Far longer than a caller takes from its look at the mark to the release. */
    private static final long SEAT_KEPT_NANOS = 10_000_000_000L;

    private final EventLoop control;
    private final Time time;
    private final ReadyStore<T> store;
    private final OpenConnections<T> population;
    private final Validations<T> validations;
    private final Closings<T> closings;
    private final ListenerGuard<T> hearing;
    private final EngineCounters counters;
    private boolean ending;

    /** Retired, and not yet in the hands of {@link Closings}. */
    private @Nullable Entry<T> owed;

    /** Taken from their callers, and still with a seat in the store. */
    private final List<Entry<T>> seated = new ArrayList<>();

    Retirements(
            EventLoop control,
            Time time,
            ReadyStore<T> store,
            OpenConnections<T> population,
            Validations<T> validations,
            Closings<T> closings,
            ListenerGuard<T> hearing,
            EngineCounters counters) {
        this.control = control;
        this.time = time;
        this.store = store;
        this.population = population;
        this.validations = validations;
        this.closings = closings;
        this.hearing = hearing;
        this.counters = counters;
    }

    /** From now on everything goes, and nothing takes its place. */
    void end() {
        ending = true;
    }

    /** Marks a lent connection that has aged, retires a ready one. */
    void retireAged(Entry<T> entry, DiscardReason reason) {
        if (take(entry)) {
            retire(entry, reason);
        } else if (!entry.gone && !entry.markCounted) {
            population.mark(entry, DiscardReason.EXPIRED_ON_RETURN);
        }
    }

    /** Retires so many of these, those not on loan first: a loan keeps its place until it comes back. */
    void retireSome(List<Entry<T>> candidates, int count, DiscardReason reason) {
        int left = retireReady(candidates, count, reason);
        for (int i = 0; left > 0 && i < candidates.size(); i++) {
            if (candidates.get(i).mark == null) {
                population.mark(candidates.get(i), reason);
                left--;
            }
        }
    }

    /** Retires so many of these, as far as they are not on loan. Answers how many are left to retire. */
    int retireReady(List<Entry<T>> candidates, int count, DiscardReason reason) {
        int left = count;
        for (int i = 0; left > 0 && i < candidates.size(); i++) {
            if (take(candidates.get(i))) {
                retire(candidates.get(i), reason);
                left--;
            }
        }
        if (left < count) {
            // The plan did not know of them: look again, for when their places are free.
            control.post(() -> {});
        }
        return left;
    }

    void retireSoftly(Entry<T> entry, DiscardReason reason) {
        if (entry.gone || entry.isOverflow()) {
            // Temporary connections have no seat in the store and retire at their return in any case.
            return;
        }
        if (take(entry)) {
            retire(entry, reason);
        } else if (!entry.markCounted) {
            population.mark(entry, reason);
        }
    }

    /** Whether the keeper owns the entry now: it was ready, or was being proven. */
    private boolean take(Entry<T> entry) {
        return entry.validating || store.claim(entry);
    }

    /** Takes an entry that the keeper owns, or that is on loan and will not come back, out of the reservoir. */
    void retire(Entry<T> entry, DiscardReason reason) {
        if (entry.gone) {
            freePlace(entry);
            return;
        }
        if (entry.validating) {
            validations.drop(entry);
        }
        leave(entry, reason);
        freePlace(entry);
        close(entry, reason);
    }

    /**
     * Takes a connection out of the reservoir and closes it under the caller that has it. The caller may release it at this very
     * moment, after it looked at the mark and before the mark was set. So the entry keeps its seat in the store until the keeper
     * gets it back: by a late release, or from whoever claims it there and finds it marked.
     */
    void retireInUse(Entry<T> entry, DiscardReason reason) {
        if (!entry.gone) {
            // What may fail comes first: an entry that has left and is not closed would be lost.
            entry.takenNanos = time.nanos();
            seated.add(entry);
            leave(entry, reason);
            close(entry, reason);
        }
    }

    private void leave(Entry<T> entry, DiscardReason reason) {
        entry.gone = true;
        if (entry.mark == null) {
            entry.mark = reason;
        }
        population.remove(entry);
        counters.usesOfRetired += entry.uses;
    }

    private void freePlace(Entry<T> entry) {
        // At the end a borrower may be giving it back at this moment: the seat stays, nobody needs it any more.
        if (entry.group != null && !ending) {
            store.unseat(entry);
        }
    }

    void close(Entry<T> entry, DiscardReason reason) {
        // Linked without an allocation, so that an error on the way loses no connection.
        entry.owedFor = reason;
        entry.nextOwed = owed;
        owed = entry;
        if (!entry.discardTold) {
            // If an error comes before the flag is set, the next try tells the listeners.
            long remaining = entry.expiresNanos() - time.nanos();
            control.later(() -> hearing.tell(l -> l.discarded(entry, reason, remaining)));
            entry.discardTold = true;
            counters.discards.merge(reason, 1L, Long::sum);
        }
        closings.close(
                entry.connection(),
                entry.lease(),
                kind(entry, reason),
                reason,
                released -> control.later(() -> hearing.tell(l -> l.closed(entry, released))));
        owed = entry.nextOwed;
        entry.nextOwed = null;
    }

    /** Does what was left to do later: closes what an error kept from being closed, and frees seats. Called by each scan. */
    void retry(long now) {
        while (owed != null) {
            Entry<T> first = owed;
            DiscardReason reason = first.owedFor;
            owed = first.nextOwed;
            close(first, reason == null ? DiscardReason.LOST : reason);
        }
        seated.removeIf(entry -> entry.group == null || isNobodys(entry, now));
    }

    /** Whether the seat of an entry that was taken from its caller could be freed: nobody can put it back any more. */
    private boolean isNobodys(Entry<T> entry, long now) {
        boolean isLong = now - entry.takenNanos >= SEAT_KEPT_NANOS;
        // Ready again: the caller released it and had not seen the mark. In use for long since: it will see the mark.
        if (store.claim(entry) || (isLong && entry.inUse)) {
            freePlace(entry);
            return true;
        }
        return false;
    }

    /** Whether some are still to be closed, because an error came between. */
    boolean owesCloses() {
        return owed != null;
    }

    private static Closings.Kind kind(Entry<?> entry, DiscardReason reason) {
        if (entry.isOverflow()) {
            return Closings.Kind.OVERFLOW;
        }
        return reason == DiscardReason.LATE ? Closings.Kind.LATE : Closings.Kind.COUNTED;
    }

    /** Connections being closed that still have their place beside the others, temporary ones not counted. */
    int openStill() {
        return closings.openStill(Closings.Kind.COUNTED) + closings.openStill(Closings.Kind.LATE);
    }

    /** A mark for age says nothing of how old the connection is when it comes back. */
    static <T> DiscardReason resolved(Entry<T> entry, DiscardReason mark, long now) {
        if (mark != DiscardReason.EXPIRED_ON_RETURN) {
            return mark;
        }
        return now >= entry.expiresNanos() ? mark : DiscardReason.INSUFFICIENT_REMAINING_LIFETIME;
    }
}
