package dev.reservoir.sim.sweep;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A setting and the values that it takes, in this order.
 *
 * @param knob the setting
 * @param values the values, at least one, all different
 */
public record Vary(Knob knob, List<Value> values) {
    /** Largest number of values of one setting, which is also the largest number of combinations in a sweep. */
    public static final int MOST_VALUES = 10_000;

    private static final Pattern RANGE = Pattern.compile("(.+?)\\.\\.(.+?)(?::(.+))?");

    /**
     * One value of a setting.
     *
     * @param text the value as text
     * @param number the value; for a duration, its nanoseconds
     */
    public record Value(String text, BigDecimal number) {}

    /**
     * Reads {@code key=values}. The values are separated by commas. Each is a single value or a range such as
     * {@code 25..200:25}.
     *
     * @throws IllegalArgumentException if the text has another form; the message says what is allowed
     */
    public static Vary parse(String text) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw new IllegalArgumentException(
                    "--vary is '" + text + "'; allowed: KEY=VALUES, such as target=25..200:25 or burst=0,1000");
        }
        Knob knob = Knob.named(text.substring(0, equals));
        List<Value> values = new ArrayList<>();
        for (String part : text.substring(equals + 1).split(",", -1)) {
            Matcher range = RANGE.matcher(part);
            if (range.matches()) {
                range(knob, part, range, values);
            } else {
                add(knob, values, knob.value(part));
            }
        }
        return new Vary(knob, List.copyOf(values));
    }

    private static void range(Knob knob, String part, Matcher range, List<Value> values) {
        BigDecimal first = knob.value(range.group(1)).number();
        BigDecimal last = knob.value(range.group(2)).number();
        if (range.group(3) == null && knob.isDuration()) {
            throw new IllegalArgumentException(
                    "--vary " + knob.key() + ": the range '" + part + "' has no step; allowed: such as 0s..4m:30s");
        }
        BigDecimal step = range.group(3) == null
                ? BigDecimal.ONE
                : knob.number(range.group(3)).number();
        if (step.signum() <= 0 || first.compareTo(last) > 0) {
            throw new IllegalArgumentException("--vary " + knob.key() + ": the range '" + part
                    + "' never ends; allowed: FIRST..LAST:STEP with FIRST not above LAST and a step above zero");
        }
        for (BigDecimal at = first; at.compareTo(last) <= 0; at = at.add(step)) {
            add(knob, values, knob.write(at));
        }
    }

    private static void add(Knob knob, List<Value> values, Value value) {
        if (values.stream().anyMatch(v -> v.number().compareTo(value.number()) == 0)) {
            throw new IllegalArgumentException("--vary " + knob.key() + ": " + value.text() + " is given twice");
        }
        if (values.size() == MOST_VALUES) {
            throw new IllegalArgumentException(
                    "--vary " + knob.key() + ": more than 10,000 values; allowed: at most 10,000 combinations in all");
        }
        values.add(value);
    }

    @Override
    public String toString() {
        return knob.key() + "="
                + String.join(",", values.stream().map(Value::text).toList());
    }
}
