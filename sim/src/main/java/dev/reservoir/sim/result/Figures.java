package dev.reservoir.sim.result;

import dev.reservoir.sim.result.Outcome.Mark;
import dev.reservoir.sim.result.Outcome.Second;
import dev.reservoir.sim.result.Outcome.Waits;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    private static final BigDecimal NANOS_PER_MICRO = BigDecimal.valueOf(1_000);

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

    /**
     * The figures as names and numbers, in a fixed order. Times are in seconds and waits in microseconds. An unknown
     * figure is null.
     */
    public Map<String, @Nullable BigDecimal> numbers() {
        Map<String, @Nullable BigDecimal> numbers = new LinkedHashMap<>();
        numbers.put("convergedAtSeconds", convergedAtNanos < 0 ? null : fixed(convergedAtNanos / 1e9, 3));
        numbers.put("connects", BigDecimal.valueOf(connects));
        numbers.put("mostConnectsPerSecond", BigDecimal.valueOf(mostConnectsPerSecond));
        numbers.put("refused", BigDecimal.valueOf(refused));
        numbers.put("openFailures", BigDecimal.valueOf(openFailures));
        numbers.put("refills", BigDecimal.valueOf(refills));
        numbers.put("closures", BigDecimal.valueOf(closures));
        numbers.put("mostClosuresPerSecond", BigDecimal.valueOf(mostClosuresPerSecond));
        numbers.put("mostOpen", BigDecimal.valueOf(mostOpen));
        numbers.put("checkouts", BigDecimal.valueOf(checkouts));
        numbers.put("emptyEvents", BigDecimal.valueOf(emptyEvents));
        numbers.put("timeouts", BigDecimal.valueOf(timeouts));
        numbers.put("failedWork", BigDecimal.valueOf(failedWork));
        numbers.put("smallestUsableShare", smallestUsableShare == null ? null : fixed(smallestUsableShare, 6));
        numbers.put("waitP50Micros", micros(waits.p50Nanos()));
        numbers.put("waitP99Micros", micros(waits.p99Nanos()));
        numbers.put("waitP999Micros", micros(waits.p999Nanos()));
        numbers.put("waitMaxMicros", micros(waits.maxNanos()));
        return numbers;
    }

    private static BigDecimal micros(long nanos) {
        return BigDecimal.valueOf(nanos).divide(NANOS_PER_MICRO, 0, RoundingMode.DOWN);
    }

    /**
     * Rounds a number to at most this many decimals. Uses its exact value, because the text of a double depends on the
     * version of Java.
     */
    static BigDecimal fixed(double value, int decimals) {
        BigDecimal rounded =
                new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN).stripTrailingZeros();
        return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
    }
}
