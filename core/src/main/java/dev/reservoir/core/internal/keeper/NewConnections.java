package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Settings;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.opening.ConnectFailures.Failure;
import dev.reservoir.core.internal.opening.Openings;
import dev.reservoir.core.internal.opening.Openings.Purpose;
import dev.reservoir.core.spi.Leases.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Takes new connections into the reservoir, and notes why others could not be opened. Never begins to open one. Called
 * under the keeper's lock.
 *
 * @param <T> the connection
 */
final class NewConnections<T> implements Openings.Outcome<T> {
    private final KeeperParts<T> parts;

    NewConnections(KeeperParts<T> parts) {
        this.parts = parts;
    }

    @Override
    public void opened(T connection, @Nullable Lease lease, Purpose purpose, long openNanos, long bornNanos) {
        Entry<T> entry = record(connection, lease, purpose, bornNanos);
        EventLoop eventLoop = parts.eventLoop;
        eventLoop.later(() -> parts.spi.listeners().tell(l -> l.opened(entry, openNanos)));
        long begunNanos = bornNanos - openNanos;
        parts.counters.addOpened();
        parts.failures.opened(begunNanos);
        parts.validations.serverAnswered(begunNanos);
        parts.unanswered.serverAnswered(begunNanos);
        parts.counters.addOpenTime(openNanos);
        parts.openConnections.noteOpenTime(openNanos);
        passOn(entry, purpose);
        if (parts.shutdown.hasBegun()) {
            parts.retirements.retireSoftly(entry, DiscardReason.SHUTDOWN);
        }
    }

    /** Records the connection before anything else. Then the scan finds it, whatever fails afterwards. */
    private Entry<T> record(T connection, @Nullable Lease lease, Purpose purpose, long bornNanos) {
        try {
            boolean beyond = purpose == Purpose.OVERFLOW && parts.counted() >= parts.state.targets.maxOpen();
            Settings now = parts.settings.get();
            long jitter = (long) ((parts.spi.random().nextDouble() - 0.5) * now.lifetimeJitterNanos());
            long lifetime = now.baseLifetimeNanos() + jitter;
            Entry<T> entry = new Entry<>(connection, bornNanos, lifetime, now.guardWindowNanos(), beyond, lease);
            if (!beyond) {
                parts.store.place(entry);
            }
            parts.openConnections.add(entry);
            return entry;
        } catch (RuntimeException | Error e) {
            late(connection, lease, bornNanos);
            throw e;
        }
    }

    private void passOn(Entry<T> entry, Purpose purpose) {
        if (entry.isOverflow() && parts.recalls.areOwed()) {
            parts.retirements.retire(entry, DiscardReason.LEASE_RECALLED);
        } else if (entry.isOverflow()) {
            entry.setMark(DiscardReason.OVERFLOW);
            parts.handovers.handTemporary(entry, () -> parts.returns.discard(entry, DiscardReason.OVERFLOW));
        } else if (purpose != Purpose.RESCUE || parts.shutdown.hasBegun() || !parts.rescue.ask(entry)) {
            parts.handovers.makeReady(entry);
        }
    }

    @Override
    public void failed(OpenFailureReason reason, Throwable cause, long begunNanos) {
        EventLoop eventLoop = parts.eventLoop;
        boolean isFirst = parts.failures.backoff().inARow(reason) == 0;
        boolean isClosing = parts.shutdown.hasBegun();
        long now = eventLoop.nanos();
        Failure failure = new Failure(reason, cause);
        parts.counters.addOpenFailure(reason);
        int inARow = parts.failures.failed(failure, begunNanos, now, parts.waiters.waiting() > 0);
        if (reason == OpenFailureReason.SERVER_FULL && parts.openConnections.size() >= parts.state.targets.maxOpen()) {
            parts.failures.successorRefused(now);
        }
        if (parts.isFirstProbe() && failure.isMisconfiguration() && !isClosing) {
            parts.failures.setMisconfiguration(failure, now);
            eventLoop.later(parts.state.whenMisconfigured);
        }
        if (reason != OpenFailureReason.LEASE_ACQUIRE && reason != OpenFailureReason.RATE_LIMIT) {
            // The server refused. Attempts that have not reached it yet would get the same answer.
            parts.openings.cancelUnbegun();
        }
        eventLoop.later(() -> parts.spi.listeners().tell(l -> l.openFailed(reason, cause, inARow)));
        // Only the first failure of a series counts. The others give no new information, and they would make
        // connections suspect again that have been validated since.
        if (isFirst && reason.signOfTrouble() && !isClosing) {
            parts.trouble.suspectOthers();
        }
    }

    @Override
    public void late(T connection, @Nullable Lease lease, long nowNanos) {
        parts.counters.addOpened();
        parts.retirements.close(new Entry<>(connection, nowNanos, 0, 0, false, lease), DiscardReason.LATE);
    }

    @Override
    public void leased(long begunNanos) {
        parts.failures.backoff().leased(begunNanos);
    }

    @Override
    public void permitted(long begunNanos) {
        parts.failures.backoff().permitted(begunNanos);
    }
}
