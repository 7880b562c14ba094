package dev.reservoir.cluster.permits;

import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.core.spi.Permits.Permit;

/**
 * Issues the permits of a process that works on its local share while the store is away. The permits are evenly spaced
 * at the local rate, with no burst. Never calls the store. Used only on the budget's serial executor.
 */
final class LocalFallback {
    private static final Permit PERMIT = () -> {};

    private final BudgetContext around;
    private boolean alone;
    private long nextNanos;

    LocalFallback(BudgetContext around) {
        this.around = around;
        this.nextNanos = around.time().nanos();
    }

    /**
     * Serves the requests that are due. Returns the nanoseconds until the next call is needed, and at most
     * {@code atMostNanos}.
     */
    long serve(PermitQueue line, boolean goesOnAlone, long atMostNanos) {
        long now = around.time().nanos();
        if (!goesOnAlone) {
            alone = false;
            return atMostNanos;
        }
        double spacing = 1e9 / around.rateAlone();
        if (!alone) {
            // Start at a random offset, so that not all processes open at the same moment.
            alone = true;
            nextNanos =
                    Math.max(nextNanos, now + (long) (spacing * around.random().nextDouble()));
        }
        while (line.size() > 0 && nextNanos <= now) {
            line.serve(PERMIT);
            nextNanos = now + (long) spacing;
        }
        return line.size() == 0 ? atMostNanos : Math.min(atMostNanos, nextNanos - now);
    }
}
