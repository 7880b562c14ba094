package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.calls.ListenerGuard;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.ReadyStore;
import dev.reservoir.core.internal.opening.Closings;
import dev.reservoir.core.internal.stats.EngineCounters;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes connections out of the reservoir: ready ones at once, those in use on release. {@link Closings} then closes
 * them. Never waits for a close. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class Retirements<T> {
    /**
     * How long an entry that was taken away from its caller keeps its place in the store. That is far longer than a
     * caller needs from its look at the mark to the release.
     */
    private static final long PLACE_KEPT_NANOS = 10_000_000_000L;

    private final EventLoop eventLoop;
    private final ReadyStore<T> store;
    private final OpenConnections<T> openConnections;
    private final Validations<T> validations;
    private final Closings<T> closings;
    private final ListenerGuard<T> listeners;
    private final EngineCounters counters;
    private boolean ending;

    /** Retired connections that have not been passed to {@link Closings} yet. */
    private @Nullable Entry<T> owed;

    /** Connections that were taken away from their callers and still have a place in the store. */
    private final List<Taken<T>> stillPlaced = new ArrayList<>();

    Retirements(
            EventLoop eventLoop,
            ReadyStore<T> store,
            OpenConnections<T> openConnections,
            Validations<T> validations,
            Closings<T> closings,
            ListenerGuard<T> listeners,
            EngineCounters counters) {
        this.eventLoop = eventLoop;
        this.store = store;
        this.openConnections = openConnections;
        this.validations = validations;
        this.closings = closings;
        this.listeners = listeners;
        this.counters = counters;
    }

    /** From now on every connection retires, and nothing replaces it. */
    void end() {
        ending = true;
    }

    /** Retires an aged connection if it is ready, and marks it if it is in use. */
    void retireAged(Entry<T> entry, DiscardReason reason) {
        if (take(entry)) {
            retire(entry, reason);
        } else if (!entry.isGone() && !entry.isMarkCounted()) {
            openConnections.mark(entry, DiscardReason.EXPIRED_ON_RETURN);
        }
    }

    /**
     * Retires this many of the candidates, first those that are not in use. One in use keeps its place until release.
     */
    void retireSome(List<Entry<T>> candidates, int count, DiscardReason reason) {
        int left = retireReady(candidates, count, reason);
        for (int i = 0; left > 0 && i < candidates.size(); i++) {
            if (candidates.get(i).mark() == null) {
                openConnections.mark(candidates.get(i), reason);
                left--;
            }
        }
    }

    /** Retires up to this many of the candidates that are not in use. Returns how many are left to retire. */
    int retireReady(List<Entry<T>> candidates, int count, DiscardReason reason) {
        int left = count;
        for (int i = 0; left > 0 && i < candidates.size(); i++) {
            if (take(candidates.get(i))) {
                retire(candidates.get(i), reason);
                left--;
            }
        }
        if (left < count) {
            // The plan did not include them, so the keeper looks again when their places are free.
            eventLoop.post(() -> {});
        }
        return left;
    }

    void retireSoftly(Entry<T> entry, DiscardReason reason) {
        if (entry.isGone() || entry.isOverflow()) {
            // A temporary connection has no place in the store and retires on release in any case.
            return;
        }
        if (take(entry)) {
            retire(entry, reason);
        } else if (!entry.isMarkCounted()) {
            openConnections.mark(entry, reason);
        }
    }

    /** Whether the keeper owns the entry now: it was ready, or was being validated. */
    private boolean take(Entry<T> entry) {
        return entry.isValidating() || store.claim(entry);
    }

    /** Takes an entry out of the reservoir that the keeper owns, or that is in use and will not be released. */
    void retire(Entry<T> entry, DiscardReason reason) {
        if (entry.isGone()) {
            freePlace(entry);
            return;
        }
        if (entry.isValidating()) {
            validations.drop(entry);
        }
        leave(entry, reason);
        freePlace(entry);
        close(entry, reason);
    }

    /**
     * Takes a connection out of the reservoir and closes it under its caller. The caller may release it at this very
     * moment, after it read the mark and before the mark was set. The entry therefore keeps its place in the store
     * until the keeper gets it back: by a late release, or from a thread that claims it in the store and finds it
     * marked.
     */
    void retireInUse(Entry<T> entry, DiscardReason reason) {
        if (!entry.isGone()) {
            // The steps that may fail come first: an entry that has left and is not closed would be lost.
            stillPlaced.add(new Taken<>(entry, eventLoop.nanos()));
            leave(entry, reason);
            close(entry, reason);
        }
    }

    private void leave(Entry<T> entry, DiscardReason reason) {
        entry.leave(reason);
        openConnections.remove(entry);
        counters.addUsesOfRetired(entry.uses());
    }

    private void freePlace(Entry<T> entry) {
        // At the end a caller may be releasing it at this moment. The place then stays occupied, because nobody needs
        // it any more.
        if (entry.hasPlace() && !ending) {
            store.freePlace(entry);
        }
    }

    void close(Entry<T> entry, DiscardReason reason) {
        // The entry is linked without an allocation, so that an error on the way loses no connection.
        entry.owe(reason, owed);
        owed = entry;
        if (!entry.isDiscardTold()) {
            // If an error occurs before the flag is set, the next attempt tells the listeners.
            long remaining = entry.expiresNanos() - eventLoop.nanos();
            eventLoop.later(() -> listeners.tell(l -> l.discarded(entry, reason, remaining)));
            entry.setDiscardTold();
            counters.addDiscard(reason);
        }
        closings.close(
                entry.connection(),
                entry.lease(),
                kind(entry, reason),
                reason,
                released -> eventLoop.later(() -> listeners.tell(l -> l.closed(entry, released))));
        owed = entry.unlinkOwed();
    }

    /**
     * Finishes earlier work: closes connections that an error kept from being closed, and frees places. Each scan calls
     * this.
     */
    void retry(long now) {
        while (owed != null) {
            Entry<T> first = owed;
            DiscardReason reason = first.owedFor();
            owed = first.unlinkOwed();
            close(first, reason == null ? DiscardReason.LOST : reason);
        }
        if (!stillPlaced.isEmpty()) {
            stillPlaced.removeIf(taken -> !taken.entry.hasPlace() || isPlaceFreed(taken, now));
        }
    }

    /** Frees the place of an entry that was taken away from its caller, if nobody can put the entry back any more. */
    private boolean isPlaceFreed(Taken<T> taken, long now) {
        boolean isLong = now - taken.atNanos >= PLACE_KEPT_NANOS;
        // If it is ready again, the caller released it without seeing the mark. If it has been in use for long since,
        // the caller will see the mark.
        if (store.claim(taken.entry) || (isLong && taken.entry.isInUse())) {
            freePlace(taken.entry);
            return true;
        }
        return false;
    }

    /** An entry that was taken away from its caller, and when. */
    private record Taken<T>(Entry<T> entry, long atNanos) {}

    /** Whether an error left connections that are still to be closed. */
    boolean owesCloses() {
        return owed != null;
    }

    private static Closings.Kind kind(Entry<?> entry, DiscardReason reason) {
        if (entry.isOverflow()) {
            return Closings.Kind.OVERFLOW;
        }
        return reason == DiscardReason.LATE ? Closings.Kind.LATE : Closings.Kind.COUNTED;
    }

    /** Connections being closed that still occupy their places, without temporary ones. */
    int openStill() {
        return closings.openStill(Closings.Kind.COUNTED) + closings.openStill(Closings.Kind.LATE);
    }

    /** A mark for age does not say how old the connection is on release, so this decides the final reason. */
    static <T> DiscardReason resolved(Entry<T> entry, DiscardReason mark, long now) {
        if (mark != DiscardReason.EXPIRED_ON_RETURN) {
            return mark;
        }
        return now >= entry.expiresNanos() ? mark : DiscardReason.INSUFFICIENT_REMAINING_LIFETIME;
    }
}
