package dev.reservoir.remote.model;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The values that were given for the options of one table. Immutable; every change makes a copy. */
final class OptionValues {
    private final List<RemoteOption<?>> table;
    private final @Nullable Object[] given;

    private OptionValues(List<RemoteOption<?>> table, @Nullable Object[] given) {
        this.table = table;
        this.given = given;
    }

    static OptionValues none(List<RemoteOption<?>> table) {
        return new OptionValues(table, new @Nullable Object[table.size()]);
    }

    /** The value that was given, or null. */
    <T> @Nullable T given(RemoteOption<T> option) {
        Object value = given[option.index()];
        return value == null ? null : option.cast(value);
    }

    /** The value that was given, or the default, or null. */
    <T> @Nullable T find(RemoteOption<T> option) {
        T value = given(option);
        return value == null ? option.defaultValue() : value;
    }

    /** The value of an option that has a default. */
    <T> T get(RemoteOption<T> option) {
        T value = find(option);
        if (value == null) {
            throw new IllegalStateException("bug: " + option + " has no default");
        }
        return value;
    }

    <T> OptionValues with(RemoteOption<T> option, @Nullable T value) {
        @Nullable Object[] copy = given.clone();
        copy[option.index()] = value;
        return new OptionValues(table, copy);
    }

    /** A copy in which all options of the group have the values that they have there. */
    OptionValues withGroup(RemoteOption.Group group, OptionValues from) {
        @Nullable Object[] copy = given.clone();
        for (RemoteOption<?> option : table) {
            if (option.group() == group) {
                copy[option.index()] = from.given[option.index()];
            }
        }
        return new OptionValues(table, copy);
    }

    /** A copy with the values of one group alone. */
    OptionValues only(RemoteOption.Group group) {
        return none(table).withGroup(group, this);
    }

    <T> OptionValues withText(RemoteOption<T> option, String text) throws RemoteException {
        return with(option, option.parse(text));
    }

    /** Checks every value against the range of its option. */
    OptionValues checked() throws RemoteException {
        for (RemoteOption<?> option : table) {
            check(option);
        }
        return this;
    }

    private <T> void check(RemoteOption<T> option) throws RemoteException {
        T value = given(option);
        if (value != null) {
            option.checked(value);
        }
    }

    /** The options that were given, as text, in the order of the table. Secret ones are left out. */
    Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        for (RemoteOption<?> option : table) {
            String text = text(option);
            if (text != null && !option.isSecret()) {
                texts.put(option.key(), text);
            }
        }
        return texts;
    }

    private <T> @Nullable String text(RemoteOption<T> option) {
        T value = given(option);
        return value == null ? null : option.format(value);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof OptionValues that && table == that.table && Arrays.equals(given, that.given);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(given);
    }

    @Override
    public String toString() {
        return texts().toString();
    }
}
