package dev.reservoir.sim.sweep;

import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Key;
import dev.reservoir.sim.scenario.Key.Variation;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.scenario.ScenarioKeys;
import dev.reservoir.sim.scenario.ValueType;
import dev.reservoir.sim.scenario.ValueType.Range;
import dev.reservoir.sim.scenario.ValueType.Unit;
import dev.reservoir.sim.sweep.Vary.Value;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A key of a scenario that a sweep can vary. It is changed wherever it has a meaning: a key of services in every
 * service.
 */
public final class Knob {
    private static final Pattern WHOLE = Pattern.compile("\\d{1,9}");
    private static final Pattern DECIMAL = Pattern.compile("\\d{1,9}(\\.\\d{1,6})?");

    /** The longest duration that a sweep sets: that of the longest scenario. */
    private static final BigDecimal LONGEST = BigDecimal.valueOf(Scenario.DURATION_MAX.toNanos());

    private static final List<Knob> ALL = knobs();

    private final Key<?, ?> scenarioKey;
    private final Variation variation;
    private final Unit unit;
    private final BigDecimal least;
    private final BigDecimal most;

    private Knob(Key<?, ?> scenarioKey, Variation variation) {
        this.scenarioKey = scenarioKey;
        this.variation = variation;
        Range range = scenarioKey.type().range();
        // A latency has no range of its own. A sweep sets its typical duration.
        this.unit = range == null ? Unit.NANOS : range.unit();
        this.least = range == null ? BigDecimal.ZERO : range.least();
        BigDecimal longest = range == null || unit == Unit.NANOS ? LONGEST : range.most();
        this.most = variation.most() == null ? longest : variation.most().min(longest);
    }

    private static List<Knob> knobs() {
        List<Knob> knobs = new ArrayList<>();
        for (Key<?, ?> key : ScenarioKeys.all()) {
            Variation variation = key.variation();
            if (variation != null) {
                knobs.add(new Knob(key, variation));
            }
        }
        return List.copyOf(knobs);
    }

    /** The name on the command line. */
    public String key() {
        return variation.name();
    }

    /** A short description. */
    public String about() {
        return variation.about();
    }

    /** Whether the values are durations. */
    boolean isDuration() {
        return unit == Unit.NANOS;
    }

    /** A copy of the scenario with this setting at this value. */
    Scenario set(Scenario scenario, Value value) {
        return scenarioKey.varied(scenario, value.text());
    }

    /** The reason why this setting has no meaning in this scenario; null if it has one. */
    @Nullable
    String meaningless(Scenario scenario) {
        if (scenarioKey.hasMeaningIn(scenario)) {
            return null;
        }
        String kinds = scenarioKey.onlyWith().stream().map(ValueType::kebab).collect(Collectors.joining(" or "));
        return key() + ": no service of " + scenario.name() + " has a workload with arrivals " + kinds;
    }

    static Knob named(String key) {
        return ALL.stream()
                .filter(knob -> knob.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--vary: unknown key '" + key + "'; known: "
                        + ALL.stream().map(Knob::key).collect(Collectors.joining(", "))));
    }

    /** All settings, in the order of the table of keys. */
    public static List<Knob> all() {
        return ALL;
    }

    /** Reads a value that the setting may have. */
    Value value(String text) {
        Value value = number(text);
        if (value.number().compareTo(least) < 0 || value.number().compareTo(most) > 0) {
            throw notAllowed(text);
        }
        return value;
    }

    /** Reads a number of the setting's unit, such as a step. */
    Value number(String text) {
        if (isDuration()) {
            Duration time = DurationText.parse(text);
            if (time != null && !time.isNegative()) {
                return write(BigDecimal.valueOf(time.toNanos()));
            }
        } else if ((unit == Unit.WHOLE ? WHOLE : DECIMAL).matcher(text).matches()) {
            return write(new BigDecimal(text));
        }
        throw notAllowed(text);
    }

    Value write(BigDecimal number) {
        if (isDuration()) {
            return new Value(duration(number), number);
        }
        BigDecimal shortest = number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros();
        return new Value(shortest.toPlainString(), shortest);
    }

    private static String duration(BigDecimal nanos) {
        return DurationText.format(Duration.ofNanos(nanos.longValueExact()));
    }

    private IllegalArgumentException notAllowed(String text) {
        String allowed = switch (unit) {
            case NANOS ->
                (least.signum() == 0 ? "durations such as 30s or 1m30s," : "durations from " + duration(least) + " and")
                        + " at most " + duration(most);
            case WHOLE -> "whole numbers from " + least + " to " + most;
            case DECIMAL -> "numbers from " + least.toPlainString() + " to " + most.toPlainString();
        };
        return new IllegalArgumentException(
                "--vary " + key() + ": '" + text + "'; allowed: " + allowed + ", lists of them, and ranges a..b:step");
    }
}
