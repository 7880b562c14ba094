package dev.reservoir.remote.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about one option of a server or a user mapping. {@link ServerOptions} and
 * {@link MappingOptions} hold them all. Never holds a value.
 *
 * @param <T> the type of its values
 */
public final class RemoteOption<T> {
    private final String key;
    private final @Nullable String alias;
    private final Group group;
    private final OptionType<T> type;
    private final @Nullable T byDefault;
    private final String defaultInDocs;
    private final Predicate<T> isAllowed;
    private final String allowed;
    private final boolean secret;
    private final String doc;
    private final int index;

    private RemoteOption(Definition<T> given, int index, String doc) {
        this.key = given.key;
        this.alias = given.alias;
        this.group = given.group;
        this.type = given.type;
        this.byDefault = given.byDefault;
        this.defaultInDocs = given.defaultInDocs;
        this.isAllowed = given.isAllowed;
        this.allowed = given.allowed;
        this.secret = given.secret;
        this.doc = doc;
        this.index = index;
    }

    /** The part of a definition that an option belongs to, which is a section of the documentation. */
    public enum Group {
        CONNECTION("Where to connect"),
        TLS("TLS"),
        POOL("Pool"),
        HEALTH("Health checks"),
        LOGIN("Login");

        private final String title;

        Group(String title) {
            this.title = title;
        }

        public String title() {
            return title;
        }
    }

    /** The name in {@code OPTIONS}, such as {@code max_connections}. */
    public String key() {
        return key;
    }

    /** A second name in {@code OPTIONS}, or null if there is none. */
    public @Nullable String alias() {
        return alias;
    }

    public Group group() {
        return group;
    }

    /** The name of the type of its values, such as {@code number} or {@code ms}. */
    public String typeLabel() {
        return type.label();
    }

    /** The value of an option that was not given. Returns null if there is none. */
    public @Nullable T defaultValue() {
        return byDefault;
    }

    /** The default in words. Empty if there is none. */
    public String defaultInDocs() {
        return defaultInDocs;
    }

    /** The allowed values in words, such as {@code 1 to 100}. */
    public String allowed() {
        return allowed;
    }

    /** Whether the text of a value must not appear in a message, a view or a log. */
    public boolean isSecret() {
        return secret;
    }

    /** The meaning, in Markdown. */
    public String doc() {
        return doc;
    }

    /**
     * Parses a value.
     *
     * @throws RemoteException RD032 if the text is no allowed value; names option, value and allowed values
     */
    public T parse(String text) throws RemoteException {
        T value = type.parser().apply(text);
        if (value == null) {
            throw RemoteException.invalidOption(key, secret ? "hidden" : Names.shown(text), allowed);
        }
        return checked(value);
    }

    /** The value as text that {@link #parse} accepts. */
    public String format(T value) {
        return type.formatter().apply(value);
    }

    T checked(T value) throws RemoteException {
        if (!isAllowed.test(value)) {
            throw RemoteException.invalidOption(key, secret ? "hidden" : Names.shown(format(value)), allowed);
        }
        return value;
    }

    T cast(Object value) {
        return type.type().cast(value);
    }

    int index() {
        return index;
    }

    @Override
    public String toString() {
        return key;
    }

    /** Collects the options of a table in the order of the documentation. */
    static final class Table {
        private final List<RemoteOption<?>> all = new ArrayList<>();

        <T> Definition<T> define(Group group, String key, OptionType<T> type) {
            return new Definition<>(this, group, key, type);
        }

        List<RemoteOption<?>> all() {
            return Collections.unmodifiableList(all);
        }

        @Nullable
        RemoteOption<?> named(String key) {
            String plain = key.toLowerCase(Locale.ROOT);
            for (RemoteOption<?> option : all) {
                if (option.key.equals(plain) || plain.equals(option.alias)) {
                    return option;
                }
            }
            return null;
        }
    }

    /** Collects what is known about an option. Ends with {@link #doc}. */
    static final class Definition<T> {
        private final Table table;
        private final Group group;
        private final String key;
        private final OptionType<T> type;
        private @Nullable String alias;
        private @Nullable T byDefault;
        private String defaultInDocs = "";
        private Predicate<T> isAllowed = value -> true;
        private String allowed;
        private boolean secret;

        private Definition(Table table, Group group, String key, OptionType<T> type) {
            this.table = table;
            this.group = group;
            this.key = key;
            this.type = type;
            this.allowed = type.allowed();
        }

        Definition<T> alias(String name) {
            alias = name;
            return this;
        }

        Definition<T> byDefault(T value) {
            byDefault = value;
            defaultInDocs = type.formatter().apply(value);
            return this;
        }

        /** Says what applies if there is no value. */
        Definition<T> otherwise(String words) {
            defaultInDocs = words;
            return this;
        }

        Definition<T> secret() {
            secret = true;
            return this;
        }

        Definition<T> allowed(Predicate<T> test, String words) {
            isAllowed = test;
            allowed = words;
            return this;
        }

        /** Allows the values from this to that. */
        @SuppressWarnings("unchecked") // only numbers and durations have a range, and these are comparable
        Definition<T> range(T least, T most) {
            String unit = type.label().equals("number") ? "" : " " + type.label();
            return allowed(
                    value -> ((Comparable<T>) value).compareTo(least) >= 0
                            && ((Comparable<T>) value).compareTo(most) <= 0,
                    type.formatter().apply(least) + " to " + type.formatter().apply(most) + unit);
        }

        RemoteOption<T> doc(String markdown) {
            RemoteOption<T> option = new RemoteOption<>(this, table.all.size(), markdown);
            table.all.add(option);
            return option;
        }
    }
}
