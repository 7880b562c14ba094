package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.internal.checkout.Entry;
import org.jspecify.annotations.Nullable;

/**
 * Takes connections that come back to the keeper because they may not be handed out again. Its methods post an event,
 * take no lock and never block.
 *
 * @param <T> the connection
 */
public final class Returns<T> {
    private final KeeperParts<T> parts;

    Returns(KeeperParts<T> parts) {
        this.parts = parts;
    }

    /** Takes a claimed connection that cannot be handed out: it is stale, marked or suspect. */
    public void setAside(Entry<T> entry, long nowNanos) {
        parts.eventLoop.post(() -> {
            DiscardReason reason = reasonToRetire(entry, nowNanos);
            if (reason != null) {
                parts.retirements.retire(entry, reason);
            } else if (!entry.isGone()) {
                parts.validations.validate(entry);
            }
        });
    }

    private static <T> @Nullable DiscardReason reasonToRetire(Entry<T> entry, long nowNanos) {
        DiscardReason mark = entry.mark();
        if (mark != null) {
            return Retirements.resolved(entry, mark, nowNanos);
        }
        if (nowNanos >= entry.expiresNanos()) {
            return DiscardReason.EXPIRED_ON_CHECKOUT;
        }
        return nowNanos >= entry.usableUntilNanos() ? DiscardReason.INSUFFICIENT_REMAINING_LIFETIME : null;
    }

    /** Takes a released connection that is marked, or whose lease may have been recalled. */
    public void takeBack(Entry<T> entry) {
        parts.eventLoop.post(() -> {
            DiscardReason mark = entry.mark();
            if (mark != null) {
                parts.retirements.retire(entry, Retirements.resolved(entry, mark, parts.eventLoop.nanos()));
            } else if (parts.recalls.areOwed()) {
                // It is not made ready first: a newcomer could take it before the batch removes it again.
                parts.retirements.retire(entry, DiscardReason.LEASE_RECALLED);
            } else {
                // Other connections have satisfied the recall meanwhile. The entry is not retired, because that would
                // have marked it.
                parts.handovers.makeReady(entry);
            }
        });
    }

    /** Takes a connection in use that must not be used again. */
    public void discard(Entry<T> entry, DiscardReason reason) {
        parts.eventLoop.post(() -> parts.retirements.retire(entry, reason));
    }
}
