package dev.reservoir.jdbc.config;

import dev.reservoir.core.util.BooleanParser;
import dev.reservoir.core.util.DurationParser;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.jdbc.session.IsolationLevels;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The type of a setting: how a value is written as text, and which methods builder and bean have for it. Never checks
 * whether a value is in range.
 *
 * @param value the class of the values; for {@link Methods#OBJECT_OR_CLASS_NAME} that of the objects
 * @param parser returns null for a text that is not allowed; null if values of this type cannot be written as text
 * @param allowed the texts that the parser accepts
 */
public record SettingType<T>(
        Class<?> value,
        Methods methods,
        @Nullable Function<String, @Nullable T> parser,
        Function<T, @Nullable String> formatter,
        String allowed) {

    /** The methods of builder and bean for a setting. */
    public enum Methods {
        /** Take and return the value itself. */
        VALUE,
        /** The builder takes the value; the bean takes and returns text. */
        TEXT_IN_BEAN,
        /** Both take text. */
        TEXT,
        /** Take the value. The bean returns it without its secrets. */
        URL,
        /** Take the value. The bean does not return it. */
        SECRET,
        /** Take an object. The bean does not return it. */
        OBJECT,
        /** Take an object, or the name of its class. */
        OBJECT_OR_CLASS_NAME,
        /** Take the names of several classes. */
        CLASS_NAMES,
        /** Written by hand. */
        BY_HAND
    }

    static final SettingType<String> TEXT = text(Methods.VALUE);
    static final SettingType<String> URL = text(Methods.URL);
    static final SettingType<String> SECRET = text(Methods.SECRET);
    static final SettingType<String> CLASS_NAMES = text(Methods.CLASS_NAMES);

    static final SettingType<Integer> WHOLE = new SettingType<>(
            Integer.class, Methods.VALUE, number(Integer::valueOf), Object::toString, "a whole number");

    static final SettingType<Double> NUMBER =
            new SettingType<>(Double.class, Methods.VALUE, number(Double::valueOf), Object::toString, "a number");

    static final SettingType<Boolean> FLAG =
            new SettingType<>(Boolean.class, Methods.VALUE, BooleanParser::parse, Object::toString, "true or false");

    static final SettingType<Duration> DURATION = new SettingType<>(
            Duration.class,
            Methods.TEXT_IN_BEAN,
            text -> DurationParser.parse(text.strip()),
            DurationText::format,
            DurationText.ALLOWED);

    static final SettingType<Integer> ISOLATION = new SettingType<>(
            Integer.class, Methods.TEXT, IsolationLevels::parse, IsolationLevels::format, IsolationLevels.ALLOWED);

    private static SettingType<String> text(Methods methods) {
        return new SettingType<>(String.class, methods, text -> text, text -> text, "any text");
    }

    private static <N> Function<String, @Nullable N> number(Function<String, N> parser) {
        return text -> {
            try {
                return parser.apply(text.strip());
            } catch (NumberFormatException e) {
                return null;
            }
        };
    }

    static <E extends Enum<E>> SettingType<E> choice(Class<E> type) {
        String allowed = Arrays.stream(type.getEnumConstants())
                .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
        Function<String, @Nullable E> parser = text -> Arrays.stream(type.getEnumConstants())
                .filter(constant -> constant.name().equalsIgnoreCase(text.strip()))
                .findFirst()
                .orElse(null);
        return new SettingType<>(type, Methods.VALUE, parser, Enum::name, allowed);
    }

    static <T> SettingType<T> object(Class<?> type) {
        return new SettingType<>(type, Methods.OBJECT, null, value -> null, "a " + type.getName());
    }

    static <T> SettingType<T> byHand(Class<?> type) {
        return new SettingType<>(type, Methods.BY_HAND, null, value -> null, "a " + type.getName());
    }

    /** The value is an object of this class, or a string with the name of a class. */
    static SettingType<Object> objectOrClassName(Class<?> type) {
        return new SettingType<>(
                type,
                Methods.OBJECT_OR_CLASS_NAME,
                text -> text,
                value -> value instanceof String name ? name : null,
                "a " + type.getName() + ", or the name of its class");
    }
}
