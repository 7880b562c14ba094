package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.membership.FailureDetector;
import dev.reservoir.cluster.membership.Membership;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.BudgetPart;
import dev.reservoir.core.spi.Time;
import org.jspecify.annotations.Nullable;

/**
 * Decides when to ask for more leases, for how many, and when to check again. It is the same in both modes. Never asks
 * the store itself. Used only on the budget's serial executor.
 */
final class LeaseNeed extends BudgetPart {
    /** Requests that arrive within this time share one write. */
    private static final long GATHER_NANOS = 1_000_000L;

    /** How much of the leases that were free when the store went away all processes use. The rest is a margin. */
    private static final double SAFE = 0.8;

    private final Membership membership;

    /** The number of leases taken in the whole cluster, as last seen. */
    private long out;

    /** Whether that number was ever read. */
    private boolean isRead;

    private long fullUntilNanos;

    /** The leases available by the last refusal; {@link Integer#MAX_VALUE} if there was none. */
    private int room = Integer.MAX_VALUE;

    private boolean gathering;
    private boolean gathered;
    private Time.@Nullable Timer alarm;
    private long alarmNanos;

    LeaseNeed(BudgetContext context, Membership membership) {
        super(context);
        this.membership = membership;
        this.fullUntilNanos = time.nanos();
    }

    long out() {
        return out;
    }

    /** Adjusts the number of leases taken by what this process did. */
    void moved(long by) {
        out += by;
    }

    /** Takes over the number of leases taken, as just read from the store. */
    void read(long nowOut) {
        isRead = true;
        out = nowOut;
        if (out < settings.limit()) {
            notFull();
        }
    }

    int room() {
        return room;
    }

    /**
     * Handles a refusal: fewer leases were available than requested.
     *
     * @return whether no lease is available at all
     */
    boolean refused(long nowOut, int asked) {
        out = nowOut;
        long left = Math.max(0, settings.limit() - out);
        room = left < asked ? (int) left : Integer.MAX_VALUE;
        return left == 0;
    }

    /** No lease is available. Asking again is not worth a write until other processes may have released some. */
    void full() {
        fullUntilNanos = time.nanos() + (long) (FailureDetector.checkNanos(settings) * jitter(0.25));
        room = Integer.MAX_VALUE;
        gathered = false;
    }

    void notFull() {
        fullUntilNanos = time.nanos();
        room = Integer.MAX_VALUE;
    }

    /** Whether a refusal is so recent that asking again is not worth a write. */
    boolean isFull() {
        return time.nanos() < fullUntilNanos;
    }

    /** The leases asked for have arrived or are no longer wanted. */
    void met() {
        room = Integer.MAX_VALUE;
        gathered = false;
    }

    /** Whether requests that arrive together have had time to gather. If not, the membership is run when they have. */
    boolean isGathered() {
        if (!gathered && !gathering) {
            gathering = true;
            after(GATHER_NANOS, () -> {
                gathering = false;
                gathered = true;
                membership.go();
            });
        }
        return gathered;
    }

    /** Returns how many leases this process may use beyond its own while it works on its local share. */
    int localExtra() {
        // If the number of leases taken was never read, use a part of the whole limit.
        double free = isRead ? SAFE * Math.max(0, settings.limit() - out) : settings.limit();
        return (int) (free / context.processesAssumed());
    }

    /** Runs the membership after this time, or earlier if an earlier time was already requested. */
    void goAgainIn(long afterNanos) {
        long at = time.nanos() + afterNanos;
        if (alarm != null && alarmNanos - at <= 0) {
            return;
        }
        if (alarm != null) {
            alarm.cancel();
        }
        alarmNanos = at;
        alarm = after(afterNanos, () -> {
            alarm = null;
            membership.go();
        });
    }
}
