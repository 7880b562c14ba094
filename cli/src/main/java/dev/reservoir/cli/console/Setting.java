package dev.reservoir.cli.console;

import dev.reservoir.core.util.DurationParser;
import dev.reservoir.sim.scenario.DurationText;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * One value from the command line, or from the environment if the command line does not give it.
 *
 * @param name the source of the value, for messages: the option or the variable
 * @param value the given value; null if there is none
 */
public record Setting(String name, @Nullable String value) {
    public static final int PORT_MOST = 65_535;

    /**
     * Picks the value of the option if there is one, else that of the variable. An empty variable counts as not set.
     */
    public static Setting of(String option, @Nullable String given, String variable, Map<String, String> environment) {
        if (given != null) {
            return new Setting(option, given);
        }
        String value = environment.get(variable);
        return new Setting(variable, value == null || value.isBlank() ? null : value.strip());
    }

    public String or(String otherwise) {
        return value == null ? otherwise : value;
    }

    public MisuseException misused(String allowed) {
        return new MisuseException(name + " is '" + value + "'; allowed: " + allowed);
    }

    /** The value, in lower case, if it is one of the words. The first word is the default. */
    public String oneOf(String... words) {
        String chosen = value == null ? words[0] : value.toLowerCase(Locale.ROOT);
        if (!List.of(words).contains(chosen)) {
            throw misused(String.join(", ", words));
        }
        return chosen;
    }

    public OptionalInt whole() {
        if (value == null) {
            return OptionalInt.empty();
        }
        if (!value.matches("\\d{1,9}")) {
            throw misused("whole numbers");
        }
        return OptionalInt.of(Integer.parseInt(value));
    }

    /** A port to listen on; 0 for a free port if no value was given. */
    public int port(String alsoAllowed) {
        if (value == null) {
            return 0;
        }
        if (!value.matches("\\d{1,5}") || Integer.parseInt(value) > PORT_MOST) {
            throw misused("0 to " + PORT_MOST + ", 0 for a free one" + alsoAllowed);
        }
        return Integer.parseInt(value);
    }

    /** An address of this machine to listen on; the loopback address if no value was given. */
    public InetAddress address() {
        if (value == null) {
            return InetAddress.getLoopbackAddress();
        }
        // Only an address is allowed, so nothing asks a name server.
        if (!value.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
            throw badAddress();
        }
        try {
            return InetAddress.getByName(value);
        } catch (UnknownHostException e) {
            throw badAddress();
        }
    }

    private MisuseException badAddress() {
        return misused("an IP address of this machine, such as 127.0.0.1, or 0.0.0.0 for all");
    }

    public OptionalDouble number() {
        if (value == null) {
            return OptionalDouble.empty();
        }
        if (!value.matches("\\d{1,9}(\\.\\d{1,9})?")) {
            throw misused("numbers, such as 100 or 0.5");
        }
        return OptionalDouble.of(Double.parseDouble(value));
    }

    public int atLeastOne(int otherwise) {
        int number = whole().orElse(otherwise);
        if (number < 1) {
            throw misused("whole numbers from 1 up");
        }
        return number;
    }

    public @Nullable Duration duration() {
        if (value == null) {
            return null;
        }
        Duration parsed = DurationParser.parse(value);
        if (parsed == null) {
            throw misused("such as 90s or 2m");
        }
        return parsed;
    }

    public @Nullable Duration duration(Duration least, Duration most) {
        if (value == null) {
            return null;
        }
        Duration parsed = DurationParser.parse(value);
        if (parsed == null || parsed.compareTo(least) < 0 || parsed.compareTo(most) > 0) {
            throw misused("such as 90s or 2m, at least " + DurationText.format(least) + ", at most "
                    + DurationText.format(most));
        }
        return parsed;
    }
}
