package dev.reservoir.jdbc.connect;

import dev.reservoir.jdbc.KeepaliveSocketFactory;
import java.net.Socket;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a driver is told beyond what the user tells it, so that it does not wait for a server without end.
 *
 * <p>Ends a driver's own waiting while it connects, so that a connect which hangs gives its thread back: no interrupt ends the read
 * of a socket on a platform thread. Knows how a few drivers are told; does nothing for others. Never replaces a time-out that
 * the user has set, be it longer or shorter (one that equals the driver's default is as good as not set), and leaves none on a connection that the user did not ask for.
 *
 * <p>What is bounded is each wait of the driver: for the network, for an answer. A connect that waits several times, since it
 * tries with and without encryption or several hosts, may take a few times as long.
 *
 * <p>PostgreSQL's waits for answers to its requests for encryption ({@code sslResponseTimeout}, {@code gssResponseTimeout}) are
 * never longer than its {@code socketTimeout}. Its {@code loginTimeout} would not help: it leaves the connect behind on a thread
 * that nobody can end.
 *
 * <p>Afterwards TCP asks whether the server is still there, as {@link KeepaliveSocketFactory} says, so that a call that waits for a
 * dead one ends. SQL Server's driver does so by itself, and MySQL's is timed once its socket is there.
 */
final class DriverTimeouts {
    /** More than any connect takes, and the most that SQL Server's driver lets itself be told. */
    private static final long SECONDS_MAX = 65_535;

    /** For a driver that has TCP ask by itself: a socket of ours can be closed when the driver's abort hangs. */
    private static final Map<String, String> OUR_SOCKETS =
            Map.of("socketFactory", KeepaliveSocketFactory.class.getName());

    private static final List<Known> KNOWN = List.of(
            new Known(
                    Pattern.compile("jdbc:postgresql:.*"),
                    Map.of("tcpKeepAlive", "true", "socketFactory", KeepaliveSocketFactory.class.getName()),
                    new Wait("connectTimeout", Duration.ofSeconds(1), "10", false),
                    new Wait("socketTimeout", Duration.ofSeconds(1), "0", true)),
            // One host only: with several, the driver may open other sockets later, behind the same connection.
            new Known(
                    Pattern.compile("jdbc:mysql://[^,()/]*(/.*)?"),
                    Map.of(),
                    new Wait("connectTimeout", Duration.ofMillis(1), "0", false),
                    new Wait("socketTimeout", Duration.ofMillis(1), "0", true)),
            new Known(
                    Pattern.compile("jdbc:mariadb:.*"),
                    Map.of(
                            "tcpKeepIdle", Integer.toString(KeepaliveSocketFactory.IDLE_SECONDS),
                            "tcpKeepInterval", Integer.toString(KeepaliveSocketFactory.INTERVAL_SECONDS),
                            "tcpKeepCount", Integer.toString(KeepaliveSocketFactory.COUNT)),
                    new Wait("connectTimeout", Duration.ofMillis(1), "30000", false)),
            new Known(
                    Pattern.compile("jdbc:sqlserver:.*"),
                    Map.of(),
                    new Wait("loginTimeout", Duration.ofSeconds(1), "30", false)));

    /** Connector/J has TCP ask by itself, but with the system's timing; the timing is set once its socket is there. */
    private static final Map<String, String> CONNECTOR_J_SOCKETS =
            Map.of("tcpKeepAlive", "true", "socketFactory", "com.mysql.cj.protocol.StandardSocketFactory");

    private final Map<String, String> properties;
    private final boolean outlivesTheConnect;
    private final boolean timesConnectorJ;

    private DriverTimeouts(Map<String, String> properties, boolean outlivesTheConnect, boolean timesConnectorJ) {
        this.properties = properties;
        this.outlivesTheConnect = outlivesTheConnect;
        this.timesConnectorJ = timesConnectorJ;
    }

    /** What to tell this driver, given what the user tells it by the URL and the properties. Does not connect. */
    static DriverTimeouts of(Driver driver, String url, Properties given, Duration timeout, boolean keepsAlive) {
        Map<String, String> properties = new HashMap<>();
        boolean outlives = false;
        boolean timesConnectorJ = false;
        Known known = known(url);
        if (known != null) {
            Map<String, @Nullable String> values = values(driver, url, given);
            for (Wait wait : known.waits) {
                // Equal to the driver's default, the value is as good as not set.
                if (!given.containsKey(wait.property) && wait.byDefault.equals(values.get(wait.property))) {
                    properties.put(wait.property, wait.text(timeout));
                    outlives |= wait.outlivesTheConnect;
                }
            }
            if (keepsAlive && mayKeepAlive(driver, known.keepalive, given, values)) {
                properties.putAll(known.keepalive);
            }
            if (keepsAlive && url.startsWith("jdbc:mariadb:") && mayKeepAlive(driver, OUR_SOCKETS, given, values)) {
                properties.putAll(OUR_SOCKETS);
            }
            timesConnectorJ = keepsAlive
                    && url.startsWith("jdbc:mysql:")
                    && values.entrySet().containsAll(CONNECTOR_J_SOCKETS.entrySet());
        }
        return new DriverTimeouts(properties, outlives, timesConnectorJ);
    }

    /** Not if the user says otherwise about any of it, nor if the driver could not find a class of ours. */
    private static boolean mayKeepAlive(
            Driver driver, Map<String, String> keepalive, Properties given, Map<String, @Nullable String> values) {
        for (Map.Entry<String, String> option : keepalive.entrySet()) {
            String value = given.getProperty(option.getKey(), values.get(option.getKey()));
            boolean isDefault = value == null || value.isEmpty() || value.equals("false") || value.equals("0");
            boolean isSaid = given.containsKey(option.getKey()) || !isDefault;
            if (isSaid && !option.getValue().equals(value)) {
                return false;
            }
        }
        return !keepalive.containsValue(KeepaliveSocketFactory.class.getName()) || seesOurClasses(driver);
    }

    private static boolean seesOurClasses(Driver driver) {
        try {
            ClassLoader loader = driver.getClass().getClassLoader();
            return Class.forName(KeepaliveSocketFactory.class.getName(), false, loader) == KeepaliveSocketFactory.class;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    private static @Nullable Known known(String url) {
        for (Known known : KNOWN) {
            if (known.url.matcher(url).matches()) {
                return known;
            }
        }
        return null;
    }

    /** The values as the driver itself reads them. */
    private static Map<String, @Nullable String> values(Driver driver, String url, Properties given) {
        Map<String, @Nullable String> values = new HashMap<>();
        Properties copy = new Properties();
        copy.putAll(given);
        try {
            for (DriverPropertyInfo info : driver.getPropertyInfo(url, copy)) {
                values.put(info.name, info.value);
            }
        } catch (SQLException | RuntimeException e) {
            // What is wrong with the URL is said by the connect, and better.
            return Map.of();
        }
        return values;
    }

    /** The properties to add to those of the user. */
    Map<String, String> properties() {
        return properties;
    }

    /** Sets when TCP asks whether the server is there, for a driver that cannot be told before it connects. Sends nothing. */
    void timeKeepalive(Connection connection) {
        Socket socket = timesConnectorJ ? ConnectorJSocket.of(connection) : null;
        if (socket != null) {
            KeepaliveSocketFactory.setTiming(socket);
        }
    }

    /** Takes the bound off a connection that was opened under it. Sends the server nothing. */
    void lift(Connection connection) throws SQLException {
        if (!outlivesTheConnect) {
            return;
        }
        try {
            connection.setNetworkTimeout(Runnable::run, 0);
        } catch (SQLException | RuntimeException | Error e) {
            try {
                connection.close();
            } catch (SQLException alsoThis) {
                e.addSuppressed(alsoThis);
            }
            throw e;
        }
    }

    /**
     * A driver, by its URLs.
     *
     * @param keepalive the properties by which it has TCP ask whether the server is there
     */
    private record Known(Pattern url, Map<String, String> keepalive, List<Wait> waits) {
        Known(Pattern url, Map<String, String> keepalive, Wait... waits) {
            this(url, keepalive, List.of(waits));
        }
    }

    /**
     * A property that bounds waiting.
     *
     * @param byDefault the driver's value for it if nobody sets it
     * @param outlivesTheConnect whether it stays the network time-out of the connection, which without it would be none
     */
    private record Wait(String property, Duration unit, String byDefault, boolean outlivesTheConnect) {

        /** The time-out in the driver's unit, rounded up, since 0 would be none. */
        String text(Duration timeout) {
            Duration most = Duration.ofSeconds(SECONDS_MAX);
            Duration capped = timeout.compareTo(most) < 0 ? timeout : most;
            return Long.toString(capped.plus(unit).minusNanos(1).dividedBy(unit));
        }
    }
}
