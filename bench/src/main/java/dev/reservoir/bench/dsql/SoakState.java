package dev.reservoir.bench.dsql;

import java.util.stream.Stream;

/**
 * The report of a process about its work so far.
 *
 * @param requests requests that have ended, successful or not
 * @param failed those of them that failed
 * @param checkouts checkouts that found a ready connection
 * @param slow those of them that took longer than a millisecond
 * @param checkoutP99Nanos the time that 99 % of these checkouts did not exceed
 * @param checkoutLongestNanos the longest of these checkouts
 * @param waits checkouts that had to wait for a connection
 * @param waitLongestNanos the longest of these waits
 * @param requestP999Nanos the time from due to end that 99.9 % of the requests did not exceed
 * @param requestLongestNanos the longest of these times
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

    /** Reads a line that {@link SoakWorker} has written. */
    static SoakState of(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != 11) {
            throw new IllegalArgumentException("a state has " + words.length + " words instead of 11: " + line);
        }
        long[] n = Stream.of(words).skip(1).mapToLong(Long::parseLong).toArray();
        return new SoakState(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9]);
    }

    /** The sum of two reports: it adds the counts and takes the longer of two times. */
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
