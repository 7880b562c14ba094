package dev.reservoir.remote.model;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The options that a server or a mapping passes to the driver, by their names without prefix. An option whose name says
 * that it is a secret takes {@code $NAME} for an environment variable. Immutable.
 */
final class DriverOptions {
    private static final Pattern SECRET = Pattern.compile("(?i)password|passwd|passphrase|secret|token|pwd");
    private static final Pattern VARIABLE = Pattern.compile("\\$[A-Za-z_][A-Za-z0-9_]{0,199}");

    /** Most options for a driver. No driver has as many. */
    private static final int COUNT_MAX = 200;

    private final Map<String, String> values;

    DriverOptions(Map<String, String> values) {
        this.values = Collections.unmodifiableMap(new TreeMap<>(values));
    }

    static boolean isDriverOption(String key) {
        return key.startsWith(ServerOptions.DRIVER_PREFIX);
    }

    static String withoutPrefix(String key) {
        return key.substring(ServerOptions.DRIVER_PREFIX.length());
    }

    static boolean isSecret(String name) {
        return SECRET.matcher(name).find();
    }

    /** Refuses a secret that SQL gives as it is. */
    static void checkText(String name, String text) throws RemoteException {
        if (isSecret(name) && !VARIABLE.matcher(text).matches()) {
            throw RemoteException.invalidOption(
                    ServerOptions.DRIVER_PREFIX + name,
                    "hidden",
                    "'$NAME' for the environment variable NAME, because the name of the option says that it is a"
                            + " secret");
        }
    }

    static void check(Map<String, String> values) throws RemoteException {
        if (values.size() > COUNT_MAX) {
            throw new RemoteException(
                    RemoteErrorCode.INVALID_OPTION,
                    values.size() + " options for the driver; allowed: at most " + COUNT_MAX);
        }
        for (String name : values.keySet()) {
            if (!name.matches("[A-Za-z0-9_.-]{1,128}")) {
                throw RemoteException.invalidOption(
                        "name of an option for the driver",
                        Names.shown(name),
                        "1 to 128 letters, digits, dots, dashes and underscores");
            }
        }
    }

    Map<String, String> values() {
        return values;
    }

    /** The options as the driver gets them. */
    Map<String, String> read() throws RemoteException {
        Map<String, String> read = new TreeMap<>();
        for (Map.Entry<String, String> option : values.entrySet()) {
            String text = option.getValue();
            boolean isVariable =
                    isSecret(option.getKey()) && VARIABLE.matcher(text).matches();
            read.put(
                    option.getKey(),
                    isVariable ? Secret.environment(text.substring(1)).read() : text);
        }
        return read;
    }

    /** Adds the options as views and messages may show them, with their prefix. */
    void show(Map<String, String> options) {
        values.forEach((name, text) -> options.put(
                ServerOptions.DRIVER_PREFIX + name,
                isSecret(name) && !VARIABLE.matcher(text).matches() ? "hidden" : text));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DriverOptions that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.keySet().hashCode();
    }

    /** The names alone. */
    @Override
    public String toString() {
        return values.keySet().toString();
    }
}
