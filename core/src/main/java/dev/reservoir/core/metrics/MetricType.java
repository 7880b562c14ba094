package dev.reservoir.core.metrics;

/** The kinds of metrics. */
public enum MetricType {
    /** A total that never falls while the process runs. */
    COUNTER,
    /** A value at this moment. */
    GAUGE,
    /** Quantiles of many values, with their number and their sum. */
    SUMMARY,
    /** How many values were no larger than each of some bounds, which can be added up over processes. */
    HISTOGRAM
}
