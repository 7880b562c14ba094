package dev.reservoir.bench.report;

/** Whether higher or lower values of a metric are better. */
public enum Better {
    HIGHER,
    LOWER
}
