package dev.reservoir.cluster.permits;

import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.core.spi.Permits.Permit;

/**
 * Issues the permits of a process that works on its local share while the store is away. The permits are evenly spaced
 * at the local rate, with no burst. Never calls the store. Used only on the budget's serial executor.
 */
final class LocalFallback {
    private static final Permit PERMIT = () -> {};

    private final BudgetContext context;
    private boolean active;
    private long nextNanos;

    LocalFallback(BudgetContext context) {
        this.context = context;
        this.nextNanos = context.time().nanos();
    }

    /**
     * Serves the requests that are due. Returns the nanoseconds until the next call is needed, and at most
     * {@code maxNanos}.
     */
    long serve(PermitQueue queue, boolean usesLocalShare, long maxNanos) {
        long now = context.time().nanos();
        if (!usesLocalShare) {
            active = false;
            return maxNanos;
        }
        double spacing = 1e9 / context.localRatePerSecond();
        if (!active) {
            // Start at a random offset, so that not all processes open at the same moment.
            active = true;
            nextNanos =
                    Math.max(nextNanos, now + (long) (spacing * context.random().nextDouble()));
        }
        while (queue.size() > 0 && nextNanos <= now) {
            queue.serve(PERMIT);
            nextNanos = now + (long) spacing;
        }
        return queue.size() == 0 ? maxNanos : Math.min(maxNanos, nextNanos - now);
    }
}
