package dev.reservoir.core.internal.opening;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.util.DoublingPause;
import java.util.EnumMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Computes the pauses after failed connects, separately for each reason (promise 7). Never waits itself. Guarded by the
 * keeper's lock.
 *
 * <p>Connects that were under way together and fail count as one failure. A success clears every failure that happened
 * before the successful connect began. A success that was under way when others failed shows nothing about them.
 *
 * <p>While callers wait for a server that cannot be reached, pauses are short and do not grow.
 *
 * <p>A server that reports an overload gets fewer connects afterwards: one at a time at first, and one more for each
 * connection that opens. Other clients that share its limit are probably still active.
 */
public final class Backoff {
    /**
     * Longest pause between connects to a server that cannot be reached, while callers wait. It is short, so that
     * callers are served soon after the server returns.
     */
    static final long WAITED_FOR_NANOS = 200_000_000L;

    private final long baseNanos;
    private final long maxNanos;
    private final RandomGenerator random;
    private final Map<OpenFailureReason, Pause> pauses = new EnumMap<>(OpenFailureReason.class);

    /** How many connects may be under way to the server at once, and when the server last reported an overload. */
    private int window = Integer.MAX_VALUE;

    private long windowShutNanos;

    public Backoff(long baseNanos, long maxNanos, RandomGenerator random) {
        this.baseNanos = baseNanos;
        this.maxNanos = maxNanos;
        this.random = random;
    }

    /**
     * Records a failure of a step that began at the given time. Returns the number of failures in a row for this
     * reason.
     *
     * @param waitedFor whether callers wait for a connection
     */
    public int failed(OpenFailureReason reason, long begunNanos, long nowNanos, boolean waitedFor) {
        if (reason == OpenFailureReason.SERVER_RATE || reason == OpenFailureReason.SERVER_FULL) {
            window = 1;
            windowShutNanos = nowNanos;
        }
        Pause last = pauses.get(reason);
        if (last != null && begunNanos < last.failedNanos) {
            return last.inARow;
        }
        int before = last == null ? 0 : last.inARow;
        int doublings = last == null ? 0 : last.doublings;
        long shortPause = DoublingPause.jittered(0, Math.min(WAITED_FOR_NANOS, baseNanos), WAITED_FOR_NANOS, random);
        long until = nowNanos + DoublingPause.jittered(doublings, baseNanos, maxNanos, random);
        boolean grows = !(waitedFor && isAway(reason));
        pauses.put(reason, new Pause(before + 1, doublings + (grows ? 1 : 0), nowNanos, until, nowNanos + shortPause));
        return before + 1;
    }

    /** Extends the pause after the last failure for this reason: it ends at the given time at the earliest. */
    public void pauseUntil(OpenFailureReason reason, long nanos) {
        pauses.computeIfPresent(
                reason,
                (same, last) -> new Pause(
                        last.inARow,
                        last.doublings,
                        last.failedNanos,
                        Math.max(last.untilNanos, nanos),
                        Math.max(last.shortUntilNanos, nanos)));
    }

    /** The number of failures in a row for this reason. */
    public int inARow(OpenFailureReason reason) {
        Pause last = pauses.get(reason);
        return last == null ? 0 : last.inARow;
    }

    /** Records a lease that was requested at the given time. */
    public void leased(long begunNanos) {
        forget(OpenFailureReason.LEASE_ACQUIRE, begunNanos);
    }

    /** Records a permit that was requested at the given time. */
    public void permitted(long begunNanos) {
        forget(OpenFailureReason.RATE_LIMIT, begunNanos);
    }

    /** Records a connection whose connect began at the given time. */
    public void opened(long begunNanos) {
        pauses.values().removeIf(pause -> pause.failedNanos <= begunNanos);
        if (window < Integer.MAX_VALUE && windowShutNanos <= begunNanos) {
            window++;
        }
    }

    /** How many connects may be under way at once, at most the given number. */
    public int opensAtOnce(int max) {
        return Math.min(window, max);
    }

    private void forget(OpenFailureReason reason, long begunNanos) {
        Pause last = pauses.get(reason);
        if (last != null && last.failedNanos <= begunNanos) {
            pauses.remove(reason);
        }
    }

    /**
     * Whether the server was not reached at all. Then only an attempt shows when it is back, and an attempt costs it
     * nothing.
     */
    private static boolean isAway(OpenFailureReason reason) {
        return reason == OpenFailureReason.CONNECT || reason == OpenFailureReason.CONNECT_TIMEOUT;
    }

    /**
     * No connect may begin before this time.
     *
     * @param waitedFor whether callers wait for a connection
     */
    public long untilNanos(boolean waitedFor) {
        long until = 0;
        for (Map.Entry<OpenFailureReason, Pause> entry : pauses.entrySet()) {
            Pause pause = entry.getValue();
            boolean isShort = waitedFor && isAway(entry.getKey());
            until = Math.max(until, isShort ? Math.min(pause.shortUntilNanos, pause.untilNanos) : pause.untilNanos);
        }
        return until;
    }

    /** Whether connects are attempted one at a time, because the last ones failed. */
    public boolean isProbing() {
        return !pauses.isEmpty();
    }

    /**
     * The failures for one reason.
     *
     * @param inARow how many there were
     * @param doublings how many times the pause was doubled
     * @param untilNanos when the pause ends
     * @param shortUntilNanos when it ends while callers wait
     */
    private record Pause(int inARow, int doublings, long failedNanos, long untilNanos, long shortUntilNanos) {}
}
