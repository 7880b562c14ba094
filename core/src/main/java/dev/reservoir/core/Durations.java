package dev.reservoir.core;

/**
 * A summary of many durations. A percentile is at most one eighth too high.
 *
 * @param count the number of durations
 * @param sumNanos their sum
 * @param maxNanos the longest
 * @param p50Nanos half of them were no longer than this
 * @param p99Nanos 99 of 100 were no longer than this
 * @param p999Nanos 999 of 1,000 were no longer than this
 */
public record Durations(long count, long sumNanos, long maxNanos, long p50Nanos, long p99Nanos, long p999Nanos) {}
