package dev.reservoir.demo.fleet;

import org.HdrHistogram.Histogram;

/** The latency of completed workflows, in milliseconds. All values are -1 if none was completed. */
public record Latency(double p50Millis, double p99Millis, double p999Millis, double longestMillis) {
    public static final Latency NONE = new Latency(-1, -1, -1, -1);

    /** Returns the figures of a histogram of nanoseconds. */
    static Latency of(Histogram nanos) {
        return nanos.getTotalCount() == 0
                ? NONE
                : new Latency(
                        nanos.getValueAtPercentile(50) / 1e6,
                        nanos.getValueAtPercentile(99) / 1e6,
                        nanos.getValueAtPercentile(99.9) / 1e6,
                        nanos.getMaxValue() / 1e6);
    }
}
