package dev.reservoir.core.internal.opening;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.util.DoublingPause;
import java.util.EnumMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Pauses after failed connects, for each reason by itself (promise 7). Guarded by the keeper's lock.
 *
 * <p>A burst of connects that were under way together counts as one failure. A success forgets every failure that was
 * before it began; one that was under way when others failed proves nothing.
 *
 * <p>While callers wait for a server that is away, pauses are short and do not grow.
 *
 * <p>A server that says that it is too much is asked more gently afterwards: one connect at a time at first, and for each that
 * is opened one more. Whoever shares its limit is likely to be there still.
 */
public final class Backoff {
    /** The longest pause between connects to a server that is away, while callers wait for it to come back. */
    static final long WAITED_FOR_NANOS = 200_000_000L;

    private final long baseNanos;
    private final long maxNanos;
    private final RandomGenerator random;
    private final Map<OpenFailureReason, Pause> pauses = new EnumMap<>(OpenFailureReason.class);

    /** How many connects the server is trusted to take at once, and when it last said that it was too much. */
    private int window = Integer.MAX_VALUE;

    private long windowShutNanos;

    public Backoff(long baseNanos, long maxNanos, RandomGenerator random) {
        this.baseNanos = baseNanos;
        this.maxNanos = maxNanos;
        this.random = random;
    }

    /**
     * Notes a failure of a step that began at the given time. Answers how many failures of this reason in a row.
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

    /** How many failures of this reason in a row there have been. */
    public int inARow(OpenFailureReason reason) {
        Pause last = pauses.get(reason);
        return last == null ? 0 : last.inARow;
    }

    /** A lease was had that was asked for at the given time. */
    public void leased(long begunNanos) {
        forget(OpenFailureReason.LEASE_ACQUIRE, begunNanos);
    }

    /** A permit was had that was asked for at the given time. */
    public void permitted(long begunNanos) {
        forget(OpenFailureReason.RATE_LIMIT, begunNanos);
    }

    /** A connection was opened by a connect that began at the given time. */
    public void opened(long begunNanos) {
        pauses.values().removeIf(pause -> pause.failedNanos <= begunNanos);
        if (window < Integer.MAX_VALUE && windowShutNanos <= begunNanos) {
            window++;
        }
    }

    /** How many connects may be under way at once, out of so many. */
    public int opensAtOnce(int most) {
        return Math.min(window, most);
    }

    private void forget(OpenFailureReason reason, long begunNanos) {
        Pause last = pauses.get(reason);
        if (last != null && last.failedNanos <= begunNanos) {
            pauses.remove(reason);
        }
    }

    /** Whether the server was not reached at all, so that only trying tells when it is back, and trying costs it nothing. */
    private static boolean isAway(OpenFailureReason reason) {
        return reason == OpenFailureReason.CONNECT || reason == OpenFailureReason.CONNECT_TIMEOUT;
    }

    /**
     * No connect may begin before this.
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

    /** Whether connects are tried one at a time, because the last ones failed. */
    public boolean isProbing() {
        return !pauses.isEmpty();
    }

    /**
     * What is known of failures of one reason.
     *
     * @param inARow how many there were
     * @param doublings how often the pause was doubled
     * @param untilNanos when the pause ends
     * @param shortUntilNanos when it ends while callers wait
     */
    private record Pause(int inARow, int doublings, long failedNanos, long untilNanos, long shortUntilNanos) {}
}
