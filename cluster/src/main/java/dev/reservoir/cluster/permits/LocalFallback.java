package dev.reservoir.cluster.permits;

import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.core.spi.Permits.Permit;

/**
 * Permits of a process that goes on alone while the store is away: evenly spaced at its share of the rate, with no burst.
 * Guarded by the desk.
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

    /** Serves those whose turn it is; returns after how many nanoseconds to come again, at most what was given. */
    long serve(PermitQueue line, boolean goesOnAlone, long atMostNanos) {
        long now = around.time().nanos();
        if (!goesOnAlone) {
            alone = false;
            return atMostNanos;
        }
        double spacing = 1e9 / around.rateAlone();
        if (!alone) {
            // Not all processes at the same moment.
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
