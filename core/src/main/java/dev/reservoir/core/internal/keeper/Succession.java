package dev.reservoir.core.internal.keeper;

/**
 * Decides from when on each connection needs a successor (promise 8). Pure arithmetic, without state.
 *
 * <p>A successor must be open when the guard window of its predecessor begins, and the rate bounds how fast successors
 * can open. The latest starts are therefore laid out backwards, from the last connection to the first. Each start is
 * early enough for its own predecessor, and one spacing before the next start. Connections that all end together thus
 * get successors one after the other, beginning as early as the rate requires. The ends of the successors are spread in
 * the same way.
 */
final class Succession {
    /** Bounds the sum of all spacings, so that it does not overflow when it is added to a time. 36 years. */
    private static final long SPAN_NANOS_MAX = Long.MAX_VALUE / 8;

    private Succession() {}

    /**
     * How many of the connections, counted from the first, need a successor by now.
     *
     * @param usableUntil when the guard window of each begins, ascending; the first {@code count} are used
     * @param notBefore no successor of each opens before this, whatever the rate; bounds the churn if the rate is too
     *     low for the number of connections
     * @param leadNanos how long before its predecessor's end a successor must begin
     * @param spacingNanos the time between the starts of two successors
     */
    static int aging(
            long[] usableUntil, long[] notBefore, int count, long nowNanos, long leadNanos, long spacingNanos) {
        if (count == 0 || notBefore[0] > nowNanos) {
            return 0;
        }
        int end = endOfNear(usableUntil, count, nowNanos + leadNanos, spacingNanos);
        long start = Long.MAX_VALUE;
        int aging = end;
        for (int i = end - 1; i >= 0; i--) {
            long own = usableUntil[i] - leadNanos;
            long before = start < Long.MIN_VALUE + spacingNanos ? Long.MIN_VALUE : start - spacingNanos;
            start = start == Long.MAX_VALUE ? own : Math.min(own, before);
            if (start > nowNanos || notBefore[i] > nowNanos) {
                aging = i;
            }
        }
        return aging;
    }

    /**
     * The number of connections, counted from the first, that can matter. Connection j pulls the start of an earlier
     * one forward by at most j spacings. So if it ends later than that many spacings from now, it makes no successor
     * due, and neither do those behind it. Usually all but a few are left out.
     */
    private static int endOfNear(long[] usableUntil, int count, long fromNanos, long spacingNanos) {
        int end = count;
        for (int before = end + 1; end < before && end > 0 && spacingNanos <= SPAN_NANOS_MAX / end; ) {
            before = end;
            end = firstAfter(usableUntil, end, fromNanos + end * spacingNanos);
        }
        return end;
    }

    /** The first of the {@code count} ascending times that is later than the given one, or {@code count}. */
    private static int firstAfter(long[] times, int count, long nanos) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (times[middle] > nanos) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
