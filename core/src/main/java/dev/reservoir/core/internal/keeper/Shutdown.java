package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.stats.Nanos;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Ends a keeper (promise 9). It first drains: ready connections retire at once, connections in use on release. At the
 * deadline it closes the rest under their callers. It is complete when no connection, opening, closing or lease is
 * left. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class Shutdown<T> {
    private final KeeperParts<T> parts;
    private final List<CompletableFuture<Void>> whenComplete = new ArrayList<>();
    private @Nullable RuntimeException toWaiters;
    private long forceAtNanos = Long.MAX_VALUE;
    private boolean forced;
    private boolean complete;

    Shutdown(KeeperParts<T> parts) {
        this.parts = parts;
    }

    boolean hasBegun() {
        return toWaiters != null;
    }

    boolean isComplete() {
        return complete;
    }

    /** The error for callers that still want a connection, or null if the shutdown has not begun. */
    @Nullable
    RuntimeException toWaiters() {
        return toWaiters;
    }

    /** When to look again, apart from scans. */
    long nextNanos() {
        return forced ? Long.MAX_VALUE : forceAtNanos;
    }

    /** Begins, unless it has begun already. The earliest of all deadlines counts. */
    void begin(long drainNanos, RuntimeException error, CompletableFuture<Void> done) {
        if (toWaiters == null) {
            toWaiters = error;
            drain(error);
        }
        whenComplete.add(done);
        forceAtNanos = Math.min(forceAtNanos, Nanos.sum(parts.eventLoop.nanos(), drainNanos));
    }

    private void drain(RuntimeException error) {
        // A resume in the same batch would take effect after the lines below.
        parts.handovers.bar(true);
        parts.eventLoop.later(() -> {
            parts.waiters.bar(true);
            parts.waiters.failAll(error);
        });
        parts.retirements.end();
        parts.recalls.end();
        parts.fillWatchers.fail(error, parts.eventLoop);
        parts.openings.cancelUnbegun();
        // The keeper owns the connections that are being validated, so it closes them at once.
        parts.validations.abandonAll();
        parts.openConnections.snapshot().forEach(e -> parts.retirements.retireSoftly(e, DiscardReason.SHUTDOWN));
    }

    /** Takes the next step in a batch. */
    void proceed(long nowNanos) {
        if (nowNanos >= forceAtNanos && !forced) {
            forced = true;
            force();
        }
        for (Entry<T> entry : parts.openConnections.snapshot()) {
            if (parts.store.claim(entry)) {
                parts.retirements.retire(entry, DiscardReason.SHUTDOWN);
            }
        }
        if (parts.openConnections.size() + parts.openConnections.overflow() > 0
                || parts.openings.opening() + parts.openings.openingOverflow() > 0) {
            return;
        }
        // Connects that were given up are not awaited, but their leases are.
        parts.openings.abandonAll();
        if (parts.closings.pending() == 0 && !parts.retirements.owesCloses()) {
            end();
        }
    }

    /** Closes the connections that are still in use under their callers. No connect is awaited any more. */
    private void force() {
        parts.openings.abandonAll();
        parts.validations.abandonAll();
        parts.openConnections.everyone().forEach(e -> parts.retirements.retire(e, DiscardReason.SHUTDOWN));
    }

    private void end() {
        List<CompletableFuture<Void>> all = List.copyOf(whenComplete);
        whenComplete.clear();
        if (!complete) {
            parts.recalls.detach();
        }
        complete = true;
        parts.eventLoop.later(() -> all.forEach(f -> f.complete(null)));
    }
}
