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
