package dev.reservoir.sim.sweep;

import dev.reservoir.core.util.Text;
import dev.reservoir.sim.result.Figures;
import dev.reservoir.sim.scenario.Key;
import dev.reservoir.sim.scenario.Scenario.Expected;
import dev.reservoir.sim.scenario.ScenarioKeys;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The figures that decide the expectations of a scenario, as numbers that can be compared and drawn. */
public enum Measure {
    CONVERGED(
            ScenarioKeys.CONVERGE_WITHIN,
            "converged",
            "seconds until every service had its target",
            f -> f.convergedAtNanos() < 0 ? Double.NaN : f.convergedAtNanos() / 1e9,
            e -> seconds(e.convergeWithin())),
    CONNECTS(
            ScenarioKeys.MAX_CONNECTS_PER_SEC,
            "connects/s",
            "connects in the busiest second",
            Figures::mostConnectsPerSecond,
            Expected::maxConnectsPerSec),
    CLOSURES(
            ScenarioKeys.MAX_CLOSURE_PER_SEC,
            "closed/s",
            "connections closed in the busiest second",
            Figures::mostClosuresPerSecond,
            Expected::maxClosurePerSec),
    OPEN(
            ScenarioKeys.MAX_OPEN_CONNECTIONS,
            "open",
            "most open at once",
            Figures::mostOpen,
            Expected::maxOpenConnections),
    EMPTY(
            ScenarioKeys.ZERO_EMPTY_EVENTS,
            "empties",
            "checkouts that found nothing ready",
            Figures::emptyEvents,
            e -> e.zeroEmptyEvents() ? 0 : null),
    TIMEOUTS(
            ScenarioKeys.MAX_TIMEOUTS,
            "timeouts",
            "checkouts that got nothing",
            Figures::timeouts,
            Expected::maxTimeouts),
    REFUSED(
            ScenarioKeys.MAX_REFUSED_CONNECTS,
            "refused",
            "connects that the database refused",
            Figures::refused,
            Expected::maxRefusedConnects),
    WAIT_P999(
            ScenarioKeys.MAX_WAIT_P999,
            "p99.9 wait",
            "99.9th percentile of the waits, in seconds",
            f -> f.waits().p999Nanos() / 1e9,
            e -> seconds(e.maxWaitP999())),
    WAIT_MAX(
            ScenarioKeys.MAX_WAIT,
            "longest wait",
            "longest wait, in seconds",
            f -> f.waits().maxNanos() / 1e9,
            e -> seconds(e.maxWait())),
    USABLE(
            ScenarioKeys.MIN_USABLE_SHARE,
            "least usable",
            "smallest usable share of the target, in percent",
            f -> f.smallestUsableShare() == null ? Double.NaN : 100 * f.smallestUsableShare(),
            e -> e.minUsableShare() == null ? null : 100 * e.minUsableShare());

    @SuppressWarnings("ImmutableEnumChecker") // the table of keys does not change
    private final Key<Expected, ?> verdict;

    private final String heading;
    private final String about;

    @SuppressWarnings("ImmutableEnumChecker") // functions without state
    private final ToDoubleFunction<Figures> figure;

    @SuppressWarnings("ImmutableEnumChecker")
    private final Function<Expected, @Nullable Number> bound;

    Measure(
            Key<Expected, ?> verdict,
            String heading,
            String about,
            ToDoubleFunction<Figures> figure,
            Function<Expected, @Nullable Number> bound) {
        this.verdict = verdict;
        this.heading = heading;
        this.about = about;
        this.figure = figure;
        this.bound = bound;
    }

    private static @Nullable Number seconds(@Nullable Duration duration) {
        return duration == null ? null : duration.toNanos() / 1e9;
    }

    /** The measure that decides a verdict; null for a verdict without a figure. */
    static @Nullable Measure of(String verdict) {
        return Arrays.stream(values())
                .filter(measure -> measure.verdict.name().equals(verdict))
                .findFirst()
                .orElse(null);
    }

    /** A short heading for a column. */
    String heading() {
        return heading;
    }

    /** A description in words. */
    String about() {
        return about;
    }

    /** The figure that decided a verdict; NaN if the event that it measures never happened. */
    double figure(Figures figures) {
        return figure.applyAsDouble(figures);
    }

    /** The bound that the figure is compared with; NaN if there is none. */
    double bound(Expected expected) {
        Number value = bound.apply(expected);
        return value == null ? Double.NaN : value.doubleValue();
    }

    /** The figure as text, with its unit. */
    String text(double value) {
        if (Double.isNaN(value)) {
            return "never";
        }
        return switch (this) {
            case CONVERGED -> fixed(value, 2) + " s";
            case WAIT_P999, WAIT_MAX -> Text.nanos(Math.round(value * 1e9));
            case USABLE -> fixed(value, 1) + " %";
            default -> Long.toString(Math.round(value));
        };
    }

    static String fixed(double value, int decimals) {
        return new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
    }
}
