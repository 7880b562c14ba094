package dev.reservoir.remote.model;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The options that a builder of a server or a mapping was given so far: those of its table, and those for the driver.
 * Keys are those of SQL, such as {@code max_connections} or {@code driver.tcpKeepAlive}.
 */
final class GivenOptions {
    private final Table table;
    private final Map<String, String> driverOptions;
    private OptionValues values;

    /** Begins with the options of another server or mapping. */
    GivenOptions(Table table, OptionValues values, Map<String, String> driverOptions) {
        this.table = table;
        this.values = values;
        this.driverOptions = new TreeMap<>(driverOptions);
    }

    OptionValues values() {
        return values;
    }

    DriverOptions driverOptions() {
        return new DriverOptions(driverOptions);
    }

    <T> void set(RemoteOption<T> option, @Nullable T value) {
        values = values.with(option, value);
    }

    /** Replaces all options of a group. */
    void setGroup(RemoteOption.Group group, OptionValues from) {
        values = values.withGroup(group, from);
    }

    /** Sets an option for the driver by its name without prefix. */
    void setDriverOption(String name, String value) {
        driverOptions.put(name, value);
    }

    /** Sets an option by its key. Returns the option of the table, or null if it is one for the driver. */
    @Nullable
    RemoteOption<?> setText(String key, String text) throws RemoteException {
        if (DriverOptions.isDriverOption(key)) {
            String name = DriverOptions.withoutPrefix(key);
            DriverOptions.checkText(name, text);
            driverOptions.put(name, text);
            return null;
        }
        RemoteOption<?> option = table.known(key);
        values = values.withText(option, text);
        return option;
    }

    /** Removes an option by its key. Returns the option of the table, or null if it is one for the driver. */
    @Nullable
    RemoteOption<?> remove(String key) throws RemoteException {
        if (DriverOptions.isDriverOption(key)) {
            driverOptions.remove(DriverOptions.withoutPrefix(key));
            return null;
        }
        RemoteOption<?> option = table.known(key);
        values = values.with(option, null);
        return option;
    }

    /** Whether an option was given, by its key. */
    boolean has(String key) throws RemoteException {
        return DriverOptions.isDriverOption(key)
                ? driverOptions.containsKey(DriverOptions.withoutPrefix(key))
                : values.given(table.known(key)) != null;
    }

    /** Checks every option by itself. */
    void check() throws RemoteException {
        DriverOptions.check(driverOptions);
        values.checked();
    }

    /** Finds an option by its key, or throws RD032. */
    @FunctionalInterface
    interface Table {
        RemoteOption<?> known(String key) throws RemoteException;
    }
}
