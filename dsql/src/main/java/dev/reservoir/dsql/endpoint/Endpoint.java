package dev.reservoir.dsql.endpoint;

import dev.reservoir.core.SettingException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a cluster.
 *
 * @param host the host name, for which tokens are signed
 * @param port the port
 */
public record Endpoint(String host, int port) {
    static final int PORT_DEFAULT = 5432;

    private static final int PORT_MAX = 65_535;
    private static final Pattern HOST_AND_PORT =
            Pattern.compile("([A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?)(?::([0-9]{1,5}))?");

    /** Matches {@code <id>.dsql.<region>.on.aws}. With PrivateLink {@code dsql} is longer: {@code dsql-fnh4}. */
    private static final Pattern CLUSTER =
            Pattern.compile("[a-z0-9-]+\\.dsql(?:-[a-z0-9-]+)?\\.([a-z]{2}[a-z0-9-]*-[0-9]+)\\.on\\.aws");

    /** Parses a host with or without a port. */
    public static Endpoint parse(String givenAs, String text) {
        Matcher parts = HOST_AND_PORT.matcher(text.strip());
        if (!parts.matches()) {
            throw refused(givenAs, text);
        }
        String port = parts.group(2);
        int number = port == null ? PORT_DEFAULT : Integer.parseInt(port);
        if (number < 1 || number > PORT_MAX) {
            throw refused(givenAs, text);
        }
        return new Endpoint(parts.group(1), number);
    }

    private static SettingException refused(String givenAs, String text) {
        return SettingException.unreadable(
                givenAs,
                text,
                "the host name of a cluster, such as <id>.dsql.us-east-1.on.aws, and a port after a colon if it is not "
                        + PORT_DEFAULT);
    }

    /** Returns the region in the host name, or null if there is none. */
    public @Nullable String region() {
        Matcher cluster = CLUSTER.matcher(host.toLowerCase(Locale.ROOT));
        return cluster.matches() ? cluster.group(1) : null;
    }
}
