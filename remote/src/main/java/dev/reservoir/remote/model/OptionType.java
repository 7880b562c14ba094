package dev.reservoir.remote.model;

import dev.reservoir.core.util.BooleanParser;
import dev.reservoir.core.util.DurationParser;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How the values of an option are written as text.
 *
 * @param label the type's name in the documentation
 * @param allowed the values in words, for messages
 * @param parser returns null if the text is no value
 */
record OptionType<T>(
        Class<T> type,
        String label,
        String allowed,
        Function<String, @Nullable T> parser,
        Function<T, String> formatter) {

    /** Bounds the length of a text. No name, path or query of an option is longer. */
    private static final int TEXT_MAX = 4_096;

    static final OptionType<String> TEXT = new OptionType<>(
            String.class,
            "text",
            "a text of 1 to " + TEXT_MAX + " characters",
            text -> text.isBlank() || text.length() > TEXT_MAX ? null : text,
            Function.identity());

    static final OptionType<Integer> INTEGER = new OptionType<>(
            Integer.class, "number", "a whole number", OptionType::parseInteger, value -> Integer.toString(value));

    static final OptionType<Boolean> FLAG = new OptionType<>(
            Boolean.class, "boolean", "true, false", OptionType::parseFlag, value -> Boolean.toString(value));

    static final OptionType<Duration> MILLIS = duration("ms", "milliseconds", 1);

    static final OptionType<Duration> SECONDS = duration("s", "seconds", 1_000);

    static <E extends Enum<E>> OptionType<E> of(Class<E> type) {
        return new OptionType<>(type, "name", labels(type), text -> parseEnum(type, text), OptionType::label);
    }

    private static OptionType<Duration> duration(String label, String unit, long unitMillis) {
        return new OptionType<>(
                Duration.class,
                label,
                "a number of " + unit + ", or a duration such as 250ms, 5s or 10m",
                text -> parseDuration(text.strip(), unitMillis),
                value -> Long.toString(value.toMillis() / unitMillis));
    }

    private static @Nullable Duration parseDuration(String text, long unitMillis) {
        if (text.matches("\\d{1,12}")) {
            return Duration.ofMillis(Long.parseLong(text) * unitMillis);
        }
        Duration duration = DurationParser.parse(text);
        // Less than the unit, or a part of it, could not be shown again.
        return duration == null || !duration.equals(Duration.ofMillis(duration.toMillis() / unitMillis * unitMillis))
                ? null
                : duration;
    }

    private static @Nullable Integer parseInteger(String text) {
        String number = text.strip();
        return number.matches("-?\\d{1,9}") ? Integer.valueOf(number) : null;
    }

    private static @Nullable Boolean parseFlag(String text) {
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "on", "yes" -> Boolean.TRUE;
            case "off", "no" -> Boolean.FALSE;
            default -> BooleanParser.parse(text);
        };
    }

    private static <E extends Enum<E>> @Nullable E parseEnum(Class<E> type, String text) {
        String plain = text.strip().replace('-', '_');
        for (E value : type.getEnumConstants()) {
            if (value.name().equalsIgnoreCase(plain)) {
                return value;
            }
        }
        return null;
    }

    private static String labels(Class<? extends Enum<?>> type) {
        return Arrays.stream(type.getEnumConstants()).map(OptionType::label).collect(Collectors.joining(", "));
    }

    private static String label(Enum<?> value) {
        return value instanceof SslMode mode ? mode.label() : value.name().toLowerCase(Locale.ROOT);
    }
}
