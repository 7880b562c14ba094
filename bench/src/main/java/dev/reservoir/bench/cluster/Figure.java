package dev.reservoir.bench.cluster;

import dev.reservoir.bench.report.Unit;
import java.util.List;

/**
 * One measured value.
 *
 * @param what the case: {@code fill}, {@code permits}, ...
 * @param setting the variant of it: {@code 40 x 100, DynamoDB Local}
 * @param metric what was measured
 * @param unit how the value is written
 * @param side whose it is
 * @param value infinite for a time that did not come
 */
record Figure(String what, String setting, String metric, Unit unit, MeasuredSide side, double value) {

    /** One line, fields separated by tabs. */
    String toLine() {
        return String.join("\t", what, setting, metric, unit.name(), side.id(), Double.toString(value));
    }

    static Figure ofLine(String line) {
        List<String> fields = List.of(line.split("\t", -1));
        if (fields.size() != 6) {
            throw new IllegalArgumentException(
                    "a line of figures has " + fields.size() + " fields instead of 6: " + line);
        }
        return new Figure(
                fields.get(0),
                fields.get(1),
                fields.get(2),
                Unit.valueOf(fields.get(3)),
                MeasuredSide.byId(fields.get(4)),
                Double.parseDouble(fields.get(5)));
    }
}
