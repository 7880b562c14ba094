package dev.reservoir.sim.scenario;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The type of a key's values, with their range: how a value is read from text, how it is written, and how the allowed
 * values are described.
 *
 * @param <T> the Java type
 */
public final class ValueType<T> {
    /** Longest duration that a scenario may contain. */
    public static final Duration YEAR = Duration.ofDays(365);

    /** Lower bound for durations that must be greater than 0. */
    static final Duration TINY = Duration.ofNanos(1);

    static final Duration ZERO = Duration.ZERO;

    /** A latency. A file may also contain it as a map, which is not read here. */
    public static final ValueType<Latency> LATENCY =
            new ValueType<>(Latency::parse, Latency::format, text -> Latency.ALLOWED, "a latency", List.of(), null);

    private final Function<String, @Nullable T> parse;
    private final Function<T, String> format;
    private final Function<String, String> expected;
    private final String allowed;
    private final List<String> words;
    private final @Nullable Range range;

    /** The unit in which a range counts. */
    public enum Unit {
        WHOLE,
        DECIMAL,
        NANOS
    }

    /**
     * The range of numbers that a sweep may use.
     *
     * @param least the smallest value; for a duration, its nanoseconds
     * @param most the largest value; for a duration, its nanoseconds
     */
    public record Range(Unit unit, BigDecimal least, BigDecimal most) {}

    private ValueType(
            Function<String, @Nullable T> parse,
            Function<T, String> format,
            Function<String, String> expected,
            String allowed,
            List<String> words,
            @Nullable Range range) {
        this.parse = parse;
        this.format = format;
        this.expected = expected;
        this.allowed = allowed;
        this.words = words;
        this.range = range;
    }

    /** Reads a value. Returns null if the text is not one that is allowed. */
    public @Nullable T parse(String text) {
        return parse.apply(text);
    }

    /** Writes a value as it stands in a file. A string has no quotes yet. */
    public String format(T value) {
        return format.apply(value);
    }

    /** Describes the allowed values to someone who wrote this text. */
    public String expected(String text) {
        return expected.apply(text);
    }

    /** Describes the allowed values in the documentation. */
    String allowed() {
        return allowed;
    }

    /** The allowed words; empty if the type is not a choice. */
    public List<String> words() {
        return words;
    }

    /** The range of a number or a duration; null for other types. */
    public @Nullable Range range() {
        return range;
    }

    // Types.

    static ValueType<Integer> whole(int least, int most) {
        ValueType<Long> type = wholeLong(least, most);
        return new ValueType<>(
                text -> {
                    Long value = type.parse(text);
                    return value == null ? null : value.intValue();
                },
                String::valueOf,
                type.expected,
                type.allowed,
                List.of(),
                type.range);
    }

    static ValueType<Long> wholeLong(long least, long most) {
        boolean any = least == Long.MIN_VALUE;
        boolean open = most == Long.MAX_VALUE || most == Integer.MAX_VALUE;
        BigDecimal from = BigDecimal.valueOf(least);
        BigDecimal to = BigDecimal.valueOf(most);
        return new ValueType<>(
                text -> {
                    BigDecimal value = Numbers.parse(text);
                    return value != null && value.scale() == 0 && value.compareTo(from) >= 0 && value.compareTo(to) <= 0
                            ? (Long) value.longValueExact()
                            : null;
                },
                String::valueOf,
                text -> "a whole number" + (any ? "" : " from " + least + " to " + most),
                any ? "a whole number" : open ? least + " or more" : grouped(from) + " to " + grouped(to),
                List.of(),
                new Range(Unit.WHOLE, from, to));
    }

    static ValueType<Double> number(double least, double most) {
        BigDecimal from = new BigDecimal(Numbers.format(least));
        BigDecimal to = new BigDecimal(Numbers.format(most));
        return new ValueType<>(
                text -> {
                    BigDecimal value = Numbers.parse(text);
                    return value != null && value.doubleValue() >= least && value.doubleValue() <= most
                            ? (Double) value.doubleValue()
                            : null;
                },
                Numbers::format,
                text -> "a number from " + Numbers.format(least) + " to " + Numbers.format(most),
                grouped(from) + " to " + grouped(to),
                List.of(),
                new Range(Unit.DECIMAL, from, to));
    }

    private static String grouped(BigDecimal number) {
        return number.scale() > 0 ? number.toPlainString() : String.format(Locale.ROOT, "%,d", number.longValue());
    }

    static ValueType<Duration> duration(Duration least, Duration most) {
        return new ValueType<>(
                text -> {
                    Duration value = DurationText.parse(text);
                    boolean allowed = value != null && value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
                    return allowed ? value : null;
                },
                DurationText::format,
                text -> expectedDuration(text, least, most),
                allowedDurations(least, most),
                List.of(),
                new Range(Unit.NANOS, BigDecimal.valueOf(least.toNanos()), BigDecimal.valueOf(most.toNanos())));
    }

    /** A duration that must be greater than 0. */
    static ValueType<Duration> positiveDuration() {
        return duration(TINY, YEAR);
    }

    private static String expectedDuration(String text, Duration least, Duration most) {
        Duration value = DurationText.parse(text);
        boolean tooLong = value != null && value.compareTo(most) > 0;
        String from = least.isZero()
                ? "0s or more"
                : least.equals(TINY) ? "more than 0" : "at least " + DurationText.format(least);
        return "a duration such as 90s or 1m30s, " + from
                + (tooLong ? " and at most " + DurationText.format(most) : "");
    }

    private static String allowedDurations(Duration least, Duration most) {
        String from = least.isZero() ? "0" : DurationText.format(least);
        boolean open = most.equals(YEAR);
        if (least.equals(TINY)) {
            return open ? "more than 0" : "more than 0, at most " + DurationText.format(most);
        }
        return from + (open ? " or more" : " to " + DurationText.format(most));
    }

    static ValueType<Boolean> yesNo() {
        return new ValueType<>(
                // The Go simulator's YAML reader accepts these words as booleans too.
                text -> switch (text.toLowerCase(Locale.ROOT)) {
                    case "true", "yes", "on" -> true;
                    case "false", "no", "off" -> false;
                    default -> null;
                },
                String::valueOf,
                text -> "true or false",
                "true or false",
                List.of(),
                null);
    }

    static ValueType<String> text(int lengthMax) {
        String allowed = "1 to " + lengthMax + " printable characters";
        return new ValueType<>(
                text -> {
                    boolean printable = text.codePoints().noneMatch(Character::isISOControl);
                    return text.isBlank() || text.length() > lengthMax || !printable ? null : text;
                },
                text -> text,
                text -> allowed,
                allowed,
                List.of(),
                null);
    }

    /** A choice among constants, each by its name in lower case with hyphens. */
    static <E extends Enum<E>> ValueType<E> choice(E[] constants) {
        return choice(ValueType::kebab, constants);
    }

    static <E extends Enum<E>> ValueType<E> choice(Function<Enum<?>, String> word, E[] constants) {
        Map<String, E> words = new LinkedHashMap<>();
        for (E constant : constants) {
            words.put(word.apply(constant), constant);
        }
        String all = String.join(", ", words.keySet());
        String marked = words.keySet().stream().map(w -> "`" + w + "`").collect(Collectors.joining(", "));
        return new ValueType<>(
                words::get, word::apply, text -> "one of " + all, marked, List.copyOf(words.keySet()), null);
    }

    /** The word of a constant in a file. */
    public static String kebab(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
