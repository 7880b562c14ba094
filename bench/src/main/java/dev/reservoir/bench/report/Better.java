package dev.reservoir.bench.report;

/** Which way a measure is good. */
public enum Better {
    HIGHER,
    LOWER
}
