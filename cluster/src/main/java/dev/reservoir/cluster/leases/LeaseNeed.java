package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.membership.FailureDetector;
import dev.reservoir.cluster.membership.Membership;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.core.spi.Time;
import org.jspecify.annotations.Nullable;

/**
 * When it is worth asking for more leases, for how many, and when to look again; the same whichever way they are counted.
 * Asks for none itself. Guarded by the desk.
 */
final class LeaseNeed {
    /** Requests that come within this time are one write. */
    private static final long GATHER_NANOS = 1_000_000L;

    /** How much of what was free when the store was last seen is used while it is away. */
    private static final double SAFE = 0.8;

    private final BudgetContext around;
    private final Membership membership;

    /** How many leases are out in the whole cluster, as last seen. */
    private long out;

    private boolean looked;
    private long fullUntilNanos;

    /** The most that can be had, as an answer said that refused more; MAX_VALUE if none did. */
    private int room = Integer.MAX_VALUE;

    private boolean gathering;
    private boolean gathered;
    private Time.@Nullable Timer alarm;
    private long alarmNanos;

    LeaseNeed(BudgetContext around, Membership membership) {
        this.around = around;
        this.membership = membership;
        this.fullUntilNanos = around.time().nanos();
    }

    long out() {
        return out;
    }

    /** So many more are out, or fewer, by what this process did. */
    void moved(long by) {
        out += by;
    }

    /** The store was asked how many are out. */
    void looked(long nowOut) {
        looked = true;
        out = nowOut;
        if (out < around.settings().limit()) {
            notFull();
        }
    }

    int room() {
        return room;
    }

    /**
     * There were not as many as were asked for.
     *
     * @return whether there is nothing at all
     */
    boolean refused(long nowOut, int asked) {
        out = nowOut;
        long left = Math.max(0, around.settings().limit() - out);
        room = left < asked ? (int) left : Integer.MAX_VALUE;
        return left == 0;
    }

    /** Asking is not worth a write until somebody can have let go. */
    void full() {
        double jitter = 0.75 + around.random().nextDouble() / 2;
        fullUntilNanos = around.time().nanos() + (long) (FailureDetector.lookNanos(around.settings()) * jitter);
        room = Integer.MAX_VALUE;
        gathered = false;
    }

    void notFull() {
        fullUntilNanos = around.time().nanos();
        room = Integer.MAX_VALUE;
    }

    /** Whether nothing was to be had so lately that asking again is not worth a write. */
    boolean isFull() {
        return around.time().nanos() < fullUntilNanos;
    }

    /** What was asked for has come, or is not wanted any more. */
    void met() {
        room = Integer.MAX_VALUE;
        gathered = false;
    }

    /** Whether those who ask at the same time have had time to do so. If not, the seat is woken when they have. */
    boolean isGathered() {
        if (!gathered && !gathering) {
            gathering = true;
            around.time()
                    .schedule(
                            GATHER_NANOS,
                            () -> around.serial().enter(() -> {
                                gathering = false;
                                gathered = true;
                                membership.go();
                            }));
        }
        return gathered;
    }

    /** How many may be used beyond those that this process has while it goes on alone. */
    int extraAlone() {
        // Nobody knows how many are out if they were never looked at: then this is a part of the whole limit.
        double free = looked
                ? SAFE * Math.max(0, around.settings().limit() - out)
                : around.settings().limit();
        return (int) (free / around.processesAlone());
    }

    /** Has the seat woken after this time, or earlier if that was asked for already. */
    void lookAgain(long afterNanos) {
        long at = around.time().nanos() + afterNanos;
        if (alarm != null && alarmNanos - at <= 0) {
            return;
        }
        if (alarm != null) {
            alarm.cancel();
        }
        alarmNanos = at;
        alarm = around.time()
                .schedule(
                        afterNanos,
                        () -> around.serial().enter(() -> {
                            alarm = null;
                            membership.go();
                        }));
    }
}
