package dev.reservoir.core.internal.opening;

import dev.reservoir.core.internal.opening.Openings.Purpose;
import dev.reservoir.core.internal.opening.Openings.Step;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.spi.Permits.Permit;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.spi.Time;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to open a connection, on its way through its steps. Guarded by the keeper's lock, except where a field
 * says otherwise.
 */
final class OpenAttempt {
    final Purpose purpose;
    final Urgency urgency;
    Step step = Step.LEASE;
    long stepBegunNanos;

    @Nullable
    Lease lease;

    @Nullable
    Permit permit;

    Time.@Nullable Timer timer;

    /** Written once, outside the lock, by the thread that requested the permit. */
    volatile @Nullable CompletionStage<Permit> requested;

    volatile boolean over;

    OpenAttempt(Purpose purpose, Urgency urgency) {
        this.purpose = purpose;
        this.urgency = urgency;
    }

    boolean isOver() {
        return over;
    }

    void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
