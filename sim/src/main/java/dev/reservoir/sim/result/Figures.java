package dev.reservoir.sim.result;

import dev.reservoir.sim.result.Outcome.Mark;
import dev.reservoir.sim.result.Outcome.Second;
import dev.reservoir.sim.result.Outcome.Waits;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Sums up an outcome in a few numbers, over the whole fleet and the whole run, so that outcomes can be compared.
 *
 * @param convergedAtNanos time from which every service had its target; -1 for never
 * @param connects connects that were started
 * @param mostConnectsPerSecond connects started in the busiest second
 * @param refused connects that the database refused
 * @param openFailures connects that failed, including the refused ones
 * @param refills connections opened
 * @param closures connections that ended, as the database saw it
 * @param mostClosuresPerSecond connections that ended in the busiest second
 * @param mostOpen the most connections open at the same time
 * @param checkouts checkouts that got a connection
 * @param emptyEvents checkouts that found nothing ready
 * @param timeouts checkouts that ended without a connection
 * @param failedWork units of work that met a broken connection, or gave up after too many conflicts
 * @param smallestUsableShare the smallest usable share at any moment, as in the outcome; null if no process ever had
 *     its target
 * @param waits the waits of all checkouts
 */
public record Figures(
        long convergedAtNanos,
        long connects,
        int mostConnectsPerSecond,
        long refused,
        long openFailures,
        long refills,
        long closures,
        int mostClosuresPerSecond,
        int mostOpen,
        long checkouts,
        long emptyEvents,
        long timeouts,
        long failedWork,
        @Nullable Double smallestUsableShare,
        Waits waits) {

    /** The figures of an outcome. */
    public static Figures of(Outcome outcome) {
        List<Second> seconds = outcome.seconds();
        List<Sample> last = outcome.last();
        return new Figures(
                outcome.marks().stream()
                        .filter(mark -> mark.kind().equals("converged"))
                        .mapToLong(Mark::atNanos)
                        .findFirst()
                        .orElse(-1),
                sum(seconds, Second::connects),
                most(seconds, Second::connects),
                sum(last, Sample::refused),
                sum(last, Sample::allOpenFailures),
                sum(last, Sample::refills),
                sum(seconds, Second::closures),
                most(seconds, Second::closures),
                most(seconds, Second::openMost),
                sum(last, Sample::checkouts),
                sum(last, Sample::emptyEvents),
                sum(last, Sample::timeouts),
                sum(last, Sample::failedWork),
                outcome.smallestUsableShare(),
                outcome.waits());
    }

    private static <T> long sum(List<T> list, ToLongFunction<T> number) {
        return list.stream().mapToLong(number).sum();
    }

    private static int most(List<Second> seconds, ToIntFunction<Second> number) {
        return seconds.stream().mapToInt(number).max().orElse(0);
    }

    /** The figures by name, in the order in which they are written. */
    private static final Map<String, Function<Figures, @Nullable BigDecimal>> NUMBERS = new LinkedHashMap<>();

    static {
        NUMBERS.put("convergedAtSeconds", f -> f.convergedAtNanos < 0 ? null : fixed(f.convergedAtNanos / 1e9, 3));
        number("connects", Figures::connects);
        number("mostConnectsPerSecond", Figures::mostConnectsPerSecond);
        number("refused", Figures::refused);
        number("openFailures", Figures::openFailures);
        number("refills", Figures::refills);
        number("closures", Figures::closures);
        number("mostClosuresPerSecond", Figures::mostClosuresPerSecond);
        number("mostOpen", Figures::mostOpen);
        number("checkouts", Figures::checkouts);
        number("emptyEvents", Figures::emptyEvents);
        number("timeouts", Figures::timeouts);
        number("failedWork", Figures::failedWork);
        NUMBERS.put("smallestUsableShare", f -> f.smallestUsableShare == null ? null : fixed(f.smallestUsableShare, 6));
        number("waitP50Micros", f -> f.waits.p50Nanos() / 1_000);
        number("waitP99Micros", f -> f.waits.p99Nanos() / 1_000);
        number("waitP999Micros", f -> f.waits.p999Nanos() / 1_000);
        number("waitMaxMicros", f -> f.waits.maxNanos() / 1_000);
    }

    private static void number(String name, ToLongFunction<Figures> number) {
        NUMBERS.put(name, f -> BigDecimal.valueOf(number.applyAsLong(f)));
    }

    /** The names of all figures, in a fixed order. */
    public static Set<String> names() {
        return Collections.unmodifiableSet(NUMBERS.keySet());
    }

    /**
     * The figures as names and numbers, in a fixed order. Times are in seconds and waits in microseconds. An unknown
     * figure is null.
     */
    public Map<String, @Nullable BigDecimal> numbers() {
        Map<String, @Nullable BigDecimal> numbers = new LinkedHashMap<>();
        NUMBERS.forEach((name, number) -> numbers.put(name, number.apply(this)));
        return numbers;
    }

    /**
     * Rounds a number to at most this many decimals. Uses its exact value, because the text of a double depends on the
     * version of Java.
     */
    public static BigDecimal fixed(double value, int decimals) {
        BigDecimal rounded =
                new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN).stripTrailingZeros();
        return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
    }
}
