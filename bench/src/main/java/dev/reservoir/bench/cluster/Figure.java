package dev.reservoir.bench.cluster;

import dev.reservoir.bench.report.Unit;
import java.util.List;

/**
 * One measured value.
 *
 * @param what the case: {@code fill}, {@code permits}, ...
 * @param setting its variant: {@code 40 x 100, DynamoDB Local}
 * @param metric the metric
 * @param unit the unit of the value
 * @param side the measured side
 * @param value the value; infinite for an event that did not happen in time
 */
record Figure(String what, String setting, String metric, Unit unit, MeasuredSide side, double value) {

    /** One line with fields separated by tabs. */
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
