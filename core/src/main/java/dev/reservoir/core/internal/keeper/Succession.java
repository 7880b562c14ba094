package dev.reservoir.core.internal.keeper;

/**
 * Decides from when on each connection needs a successor (promise 8). Pure arithmetic.
 *
 * <p>A successor has to be there when its predecessor may not be lent any more, and successors can only be opened so fast. So
 * the latest starts are laid out backwards from the last connection to the first: each early enough for its own
 * predecessor, and one spacing before the next one's. Connections that all end together thus get successors one after the
 * other, beginning as long before as the rate demands, and their successors' ends are spread in turn.
 */
final class Succession {
    private Succession() {}

    /**
     * How many of the connections, from the first, need a successor by now.
     *
     * @param usableUntil when each may not be lent any more, ascending; the first {@code count} are used
     * @param notBefore before which no successor of each is opened, whatever the rate: bounds the churn when the rate is too
     *     low for the number of connections
     * @param leadNanos how long before its predecessor's end a successor must be begun
     * @param spacingNanos how long after one another successors can be begun
     */
    static int aging(
            long[] usableUntil, long[] notBefore, int count, long nowNanos, long leadNanos, long spacingNanos) {
        if (count == 0 || notBefore[0] > nowNanos) {
            return 0;
        }
        long start = Long.MAX_VALUE;
        int aging = count;
        for (int i = count - 1; i >= 0; i--) {
            long own = usableUntil[i] - leadNanos;
            long before = start < Long.MIN_VALUE + spacingNanos ? Long.MIN_VALUE : start - spacingNanos;
            start = start == Long.MAX_VALUE ? own : Math.min(own, before);
            if (start > nowNanos || notBefore[i] > nowNanos) {
                aging = i;
            }
        }
        return aging;
    }
}
