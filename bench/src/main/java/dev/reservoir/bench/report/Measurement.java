package dev.reservoir.bench.report;

import java.util.List;

/**
 * One measured value.
 *
 * @param benchmark the benchmark: {@code checkout}, {@code fill}, ...
 * @param setting its variant: {@code pool 32, 8 threads}
 * @param metric the metric: {@code throughput}, {@code refused}, ...
 * @param unit the unit of the value
 * @param better whether higher or lower values are better
 * @param contender the title of what was measured: a pool, or a way to share a budget
 * @param value the value; infinite for an event that did not happen in time
 */
public record Measurement(
        String benchmark, String setting, String metric, Unit unit, Better better, String contender, double value) {

    /** One line with fields separated by tabs. */
    String toLine() {
        return String.join(
                "\t", benchmark, setting, metric, unit.name(), better.name(), contender, Double.toString(value));
    }

    static Measurement ofLine(String line) {
        List<String> fields = List.of(line.split("\t", -1));
        if (fields.size() != 7) {
            throw new IllegalArgumentException("a result line has " + fields.size() + " fields instead of 7: " + line);
        }
        return new Measurement(
                fields.get(0),
                fields.get(1),
                fields.get(2),
                Unit.valueOf(fields.get(3)),
                Better.valueOf(fields.get(4)),
                fields.get(5),
                Double.parseDouble(fields.get(6)));
    }
}
