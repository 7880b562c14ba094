package dev.reservoir.bench.report;

import java.util.List;

/** The median of measured values. */
public final class Median {

    private Median() {}

    /** The value in the middle, or the mean of the two in the middle. */
    public static double of(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
