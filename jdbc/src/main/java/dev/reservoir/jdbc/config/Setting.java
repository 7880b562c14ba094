package dev.reservoir.jdbc.config;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.util.DurationText;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about one setting of a data source. {@link DataSourceSettings} holds them all. Never holds a
 * value; {@link Config} does.
 *
 * @param <T> the type of its values
 */
public final class Setting<T> {
    static final Duration YEAR = Duration.ofDays(365);

    private final Definition<T> given;
    private final String doc;

    private Setting(Definition<T> given, String doc) {
        this.given = given;
        this.doc = doc;
    }

    /** The group of settings that it belongs to, which is a section of the documentation. */
    public enum Section {
        SOURCE("Where to connect"),
        SESSION("How connections are handed out"),
        COUNT("How many connections"),
        LIFETIME("How long a connection lives"),
        OPENING("Opening connections"),
        CHECKOUT("Checkout and return"),
        VALIDATION("Validation"),
        WATCHING("Watching");

        private final String title;

        Section(String title) {
            this.title = title;
        }

        public String title() {
            return title;
        }
    }

    public Section section() {
        return given.section;
    }

    /** The one name of the setting, in builder, bean, properties and JNDI. */
    public String key() {
        return given.key;
    }

    public SettingType<T> type() {
        return given.type;
    }

    /** Whether a value can be written as text, so that properties, the environment and JNDI have this setting. */
    public boolean isText() {
        return given.type.parser() != null;
    }

    /** Whether it can change while the data source runs. */
    public boolean isLive() {
        return given.live;
    }

    /** Whether a value holds a secret, or may hold one. */
    public boolean isHidden() {
        return given.hidden;
    }

    public boolean hasDefault() {
        return given.byDefault != null;
    }

    /** Whether JMX shows it. */
    public boolean isInJmx() {
        return given.live && (given.type.value() == Integer.class || given.type.value() == Duration.class);
    }

    /** The default of the environment, if it has one of its own. */
    @Nullable
    String environmentDefault() {
        return given.environmentDefault;
    }

    /** The default, in Markdown. Empty if there is none. */
    public String defaultInDocs() {
        return given.environmentDefault == null
                ? given.defaultInDocs
                : given.defaultInDocs + "; from the environment " + given.environmentDefault;
    }

    /** The values that are allowed, in Markdown. */
    public String allowedInDocs() {
        return given.allowedInDocs;
    }

    /** The meaning of the setting, in Markdown. It continues a sentence that begins with "Sets". */
    public String doc() {
        return doc;
    }

    /** The part of the name of an environment variable after the prefix, such as {@code MAX_OPEN}. */
    public String variable() {
        return given.key.replaceAll("(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
    }

    T defaultIn(Config config) {
        if (given.byDefault == null) {
            throw new IllegalStateException("bug: " + given.key + " has no default");
        }
        return given.byDefault.apply(config);
    }

    /**
     * Parses a value.
     *
     * @param givenAs the name under which the setting was given
     * @throws SettingException if the text is no value
     */
    public T parse(String givenAs, String text) {
        T value = given.type.parser() == null ? null : given.type.parser().apply(text);
        if (value == null) {
            throw SettingException.unreadable(givenAs, text, given.type.allowed());
        }
        return value;
    }

    /** Returns the value as text that {@link #parse} accepts, or null if it has none. */
    public @Nullable String text(Config config) {
        T value = given.byDefault == null ? config.given(this) : config.get(this);
        return value == null ? null : given.type.formatter().apply(value);
    }

    /** Returns the value if it is allowed, as far as this does not depend on other settings. */
    public T checked(String givenAs, T value) {
        if (given.isAllowed.test(value)) {
            return value;
        }
        throw value instanceof String text
                ? SettingException.unreadable(givenAs, text, given.allowed)
                : new SettingException(givenAs, value, given.allowed);
    }

    @Override
    public String toString() {
        return given.key;
    }

    static <T> Definition<T> define(Section section, String key, SettingType<T> type) {
        return new Definition<>(section, key, type);
    }

    /** Collects what is known about a setting. Ends with {@link #doc}. */
    static final class Definition<T> {
        private final Section section;
        private final String key;
        private final SettingType<T> type;
        private Predicate<T> isAllowed = value -> true;
        private String allowed = "any";
        private String allowedInDocs;
        private @Nullable Function<Config, T> byDefault;
        private String defaultInDocs = "";
        private @Nullable String environmentDefault;
        private boolean live;
        private boolean hidden;

        Definition(Section section, String key, SettingType<T> type) {
            this.section = section;
            this.key = key;
            this.type = type;
            if (type.value().isEnum()) {
                allowedInDocs = "`" + type.allowed().replace(", ", "`, `") + "`";
            } else {
                allowedInDocs = type.value() == Boolean.class ? "true, false" : "any";
            }
        }

        /** Says what is allowed, which other code checks. */
        Definition<T> allowed(String markdown) {
            allowedInDocs = markdown;
            return this;
        }

        /** Allows only some values. */
        Definition<T> allowed(Predicate<T> test, String text) {
            isAllowed = test;
            allowed = text;
            allowedInDocs = text;
            return this;
        }

        /** Allows the values from this to that. */
        @SuppressWarnings("unchecked") // only numbers and durations have a range, and these are comparable
        Definition<T> range(T least, T most) {
            boolean isOpen = most.equals(Integer.MAX_VALUE);
            Predicate<T> test = value ->
                    ((Comparable<T>) value).compareTo(least) >= 0 && ((Comparable<T>) value).compareTo(most) <= 0;
            allowed(
                    test,
                    type.formatter().apply(least)
                            + (isOpen ? " or more" : " to " + type.formatter().apply(most)));
            allowedInDocs = shown(least) + (isOpen ? " or more" : " to " + shown(most));
            return this;
        }

        Definition<T> byDefault(T value) {
            return byDefault(config -> value, type.value().isEnum() ? "`" + shown(value) + "`" : shown(value));
        }

        Definition<T> byDefault(T value, String markdown) {
            return byDefault(config -> value, markdown);
        }

        Definition<T> byDefault(Function<Config, T> value, String markdown) {
            byDefault = value;
            defaultInDocs = markdown;
            return this;
        }

        /** Says what applies if there is no value. */
        Definition<T> otherwise(String markdown) {
            defaultInDocs = markdown;
            return this;
        }

        Definition<T> environmentDefault(String text) {
            environmentDefault = text;
            return this;
        }

        Definition<T> live() {
            live = true;
            return this;
        }

        Definition<T> hidden() {
            hidden = true;
            return this;
        }

        Setting<T> doc(String markdown) {
            return new Setting<>(this, markdown);
        }

        /** A value as the documentation shows it. */
        private static String shown(Object value) {
            if (value.equals(Duration.ZERO)) {
                return "0";
            }
            if (value.equals(YEAR)) {
                return "365 days";
            }
            if (value instanceof Duration duration) {
                return DurationText.format(duration).replaceAll("(?<=[hm])0[ms]", "");
            }
            return value instanceof Integer number
                    ? String.format(Locale.ROOT, "%,d", number)
                    : value.toString().toLowerCase(Locale.ROOT);
        }
    }
}
