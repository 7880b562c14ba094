package dev.reservoir.bench.report;

/** Whether higher or lower values of a metric are better. */
public enum Better {
    HIGHER("high"),
    LOWER("low"),
    NEITHER("");

    /** The word in tables. */
    final String title;

    Better(String title) {
        this.title = title;
    }
}
