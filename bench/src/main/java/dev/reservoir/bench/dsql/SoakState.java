package dev.reservoir.bench.dsql;

/**
 * How a process fared so far, by its own account.
 *
 * @param requests how many were answered, well or not
 * @param failed how many of those failed
 * @param checkouts how many got a connection that stood ready
 * @param slow how many of those took longer than a millisecond
 * @param checkoutP99Nanos the time that 99 % of the checkouts did not exceed
 * @param checkoutLongestNanos the longest of those
 * @param waits how many checkouts had to wait for a connection
 * @param waitLongestNanos the longest of those
 * @param requestP999Nanos the time from due to answer that 99.9 % of the requests did not exceed
 * @param requestLongestNanos the longest of those
 */
record SoakState(
        long requests,
        long failed,
        long checkouts,
        long slow,
        long checkoutP99Nanos,
        long checkoutLongestNanos,
        long waits,
        long waitLongestNanos,
        long requestP999Nanos,
        long requestLongestNanos) {

    static final SoakState NONE = new SoakState(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Reads a line as {@link SoakWorker} writes it. */
    static SoakState of(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != 11) {
            throw new IllegalArgumentException("a state has " + words.length + " words instead of 11: " + line);
        }
        long[] numbers = new long[words.length];
        for (int i = 1; i < words.length; i++) {
            numbers[i] = Long.parseLong(words[i]);
        }
        return new SoakState(
                numbers[1],
                numbers[2],
                numbers[3],
                numbers[4],
                numbers[5],
                numbers[6],
                numbers[7],
                numbers[8],
                numbers[9],
                numbers[10]);
    }

    /** Of both together: counts add up, and of times the worse one counts. */
    SoakState plus(SoakState other) {
        return new SoakState(
                requests + other.requests,
                failed + other.failed,
                checkouts + other.checkouts,
                slow + other.slow,
                Math.max(checkoutP99Nanos, other.checkoutP99Nanos),
                Math.max(checkoutLongestNanos, other.checkoutLongestNanos),
                waits + other.waits,
                Math.max(waitLongestNanos, other.waitLongestNanos),
                Math.max(requestP999Nanos, other.requestP999Nanos),
                Math.max(requestLongestNanos, other.requestLongestNanos));
    }
}
