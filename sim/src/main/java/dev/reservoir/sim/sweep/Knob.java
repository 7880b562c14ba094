package dev.reservoir.sim.sweep;

import dev.reservoir.sim.scenario.DurationText;
import dev.reservoir.sim.scenario.Scenario;
import dev.reservoir.sim.sweep.Vary.Value;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The settings of a scenario that a sweep can vary. A setting of services is changed in every service. */
public enum Knob {
    /** Ready connections of each process. Values that were equal to it, such as {@code maxOpen}, stay equal to it. */
    TARGET("target", Kind.COUNT, 1, 100_000, "ready connections of each process", ScenarioChanges::target),
    /** Largest number of connections of each process. */
    MAX_OPEN("maxOpen", Kind.COUNT, 1, 100_000, "connections of each process at most", ScenarioChanges::maxOpen),
    /** Connects at once after a pause, both of the fleet's own limit and of the database. */
    BURST(
            "burst",
            Kind.COUNT,
            0,
            1_000_000,
            "connects at once after a rest, limiter and database",
            ScenarioChanges::burst),
    /** Connects per second, both of the fleet's own limit and of the database if it has a limit. */
    RATE("rate", Kind.NUMBER, 0, 1_000_000, "connects a second, limiter and database", ScenarioChanges::rate),
    /** Number of processes of each service. */
    INSTANCES("instances", Kind.COUNT, 1, 10_000, "processes of each service", ScenarioChanges::instances),
    /** Spread of the lifetimes. */
    JITTER("jitter", Kind.TIME, 0, 0, "how much lifetimes are spread", ScenarioChanges::jitter),
    /** The shortest lifetime. */
    LIFETIME("lifetime", Kind.TIME, 0, 0, "the shortest lifetime", ScenarioChanges::lifetime),
    /** The guard window. */
    GUARD("guard", Kind.TIME, 0, 0, "the guard window", ScenarioChanges::guard),
    /** Typical time of a connect. Its spread grows in proportion. */
    HANDSHAKE("handshake", Kind.TIME, 0, 0, "how long a connect takes", ScenarioChanges::handshake),
    /**
     * Connections that the database allows; 0 for no limit. The limit on leases changes with it if the two were equal.
     */
    CAP("cap", Kind.COUNT, 0, 10_000_000, "connections that the database allows; 0: no limit", ScenarioChanges::cap),
    /** Largest number of connections in use, in closed workloads. */
    IN_USE("inUse", Kind.COUNT, 0, 100_000, "connections in use at most, of closed workloads", ScenarioChanges::inUse),
    /** Checkouts per second, in open workloads. */
    LOAD(
            "load",
            Kind.NUMBER,
            0,
            10_000_000,
            "checkouts a second of each process, of open workloads",
            ScenarioChanges::load);

    /** The type of a setting's values. */
    enum Kind {
        COUNT,
        NUMBER,
        TIME;

        private static final Pattern WHOLE = Pattern.compile("\\d{1,9}");
        private static final Pattern DECIMAL = Pattern.compile("\\d{1,9}(\\.\\d{1,6})?");

        Value read(Knob knob, String text) {
            if (this == TIME) {
                Duration time = DurationText.parse(text);
                if (time != null && !time.isNegative()) {
                    return write(BigDecimal.valueOf(time.toNanos()));
                }
            } else if ((this == COUNT ? WHOLE : DECIMAL).matcher(text).matches()) {
                return write(new BigDecimal(text));
            }
            throw knob.notAllowed(text);
        }

        Value write(BigDecimal number) {
            if (this == TIME) {
                return new Value(DurationText.format(Duration.ofNanos(number.longValueExact())), number);
            }
            BigDecimal shortest = number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros();
            return new Value(shortest.toPlainString(), shortest);
        }
    }

    private static final BigDecimal LONGEST =
            BigDecimal.valueOf(Duration.ofDays(30).toNanos());

    private final String key;
    private final Kind kind;
    private final BigDecimal least;
    private final BigDecimal most;
    private final String about;

    @SuppressWarnings("ImmutableEnumChecker") // a method reference without state
    private final BiFunction<Scenario, Value, Scenario> change;

    Knob(String key, Kind kind, long least, long most, String about, BiFunction<Scenario, Value, Scenario> change) {
        this.key = key;
        this.kind = kind;
        this.least = BigDecimal.valueOf(least);
        this.most = BigDecimal.valueOf(most);
        this.about = about;
        this.change = change;
    }

    /** The name on the command line. */
    public String key() {
        return key;
    }

    /** A short description. */
    public String about() {
        return about;
    }

    Kind kind() {
        return kind;
    }

    /** A copy of the scenario with this setting at this value. */
    Scenario set(Scenario scenario, Value value) {
        return change.apply(scenario, value);
    }

    /** The reason why this setting has no meaning in this scenario; null if it has one. */
    @Nullable
    String meaningless(Scenario scenario) {
        if (this == IN_USE && scenario.services().stream().noneMatch(ScenarioChanges::isClosed)) {
            return "inUse: no service of " + scenario.name() + " has a closed workload";
        }
        if (this == LOAD && scenario.services().stream().noneMatch(ScenarioChanges::hasRate)) {
            return "load: no service of " + scenario.name() + " has a workload with a rate";
        }
        return null;
    }

    static Knob named(String key) {
        return Arrays.stream(values())
                .filter(knob -> knob.key.equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--vary: unknown key '" + key + "'; known: "
                        + Arrays.stream(values()).map(Knob::key).collect(Collectors.joining(", "))));
    }

    /** All settings, in declaration order. */
    public static List<Knob> all() {
        return List.of(values());
    }

    Value value(String text) {
        Value value = kind.read(this, text);
        BigDecimal top = kind == Kind.TIME ? LONGEST : most;
        boolean tooSmall = value.number().compareTo(least) < 0
                || (zeroIsNone() && value.number().signum() == 0);
        if (tooSmall || value.number().compareTo(top) > 0) {
            throw notAllowed(text);
        }
        return value;
    }

    private boolean zeroIsNone() {
        return this == RATE || this == LOAD || this == LIFETIME;
    }

    private IllegalArgumentException notAllowed(String text) {
        String allowed = switch (kind) {
            case TIME -> zeroIsNone() ? "durations above zero and" : "durations such as 30s or 1m30s,";
            case COUNT -> String.format(Locale.ROOT, "whole numbers from %s to", least);
            case NUMBER -> "numbers above zero and";
        };
        String top = kind == Kind.TIME ? " at most 720h" : (kind == Kind.NUMBER ? " at most " : " ") + most;
        return new IllegalArgumentException("--vary " + key + ": '" + text + "'; allowed: " + allowed + top
                + ", lists of them, and ranges a..b:step");
    }
}
