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
 * Adds properties for a driver to those of the user, so that the driver does not wait for a server for ever.
 *
 * <p>The properties bound the waits of a driver while it connects, so that a connect that hangs frees its thread. An
 * interrupt cannot do that: it does not end a socket read on a platform thread. The class knows the properties of a few
 * drivers and does nothing for others. Never replaces a timeout that the user has set, whether longer or shorter. A
 * value that equals the default of the driver counts as not set. Never leaves a timeout on a connection that the user
 * did not ask for.
 *
 * <p>The bound applies to each single wait of the driver, for the network or for an answer. A connect that waits
 * several times may take a few times as long, for example if it tries with and without encryption, or several hosts.
 *
 * <p>PostgreSQL's waits for answers to its encryption requests ({@code sslResponseTimeout}, {@code gssResponseTimeout})
 * never exceed its {@code socketTimeout}. Its {@code loginTimeout} does not help, because it leaves the connect running
 * on a thread that nothing can end.
 *
 * <p>After the connect, TCP keepalive ends a call that waits for a dead server, with the timing of
 * {@link KeepaliveSocketFactory}. The driver of SQL Server does so by itself. For MySQL's driver the timing is set once
 * its socket exists.
 */
final class DriverTimeouts {
    /**
     * Bounds the timeout passed to a driver. It is longer than any connect, and the most that SQL Server's driver
     * accepts.
     */
    private static final long SECONDS_MAX = 65_535;

    /**
     * For a driver that uses TCP keepalive by itself. A socket that Reservoir made can be closed when the abort of the
     * driver hangs.
     */
    private static final Map<String, String> OUR_SOCKETS =
            Map.of("socketFactory", KeepaliveSocketFactory.class.getName());

    private static final List<Known> KNOWN = List.of(
            new Known(
                    Pattern.compile("jdbc:postgresql:.*"),
                    Map.of("tcpKeepAlive", "true", "socketFactory", KeepaliveSocketFactory.class.getName()),
                    new Wait("connectTimeout", Duration.ofSeconds(1), "10", false),
                    new Wait("socketTimeout", Duration.ofSeconds(1), "0", true)),
            // One host only. With several hosts, the driver may later open other sockets behind the same connection.
            new Known(
                    Pattern.compile("jdbc:mysql://[^,()/]*(/.*)?"),
                    Map.of(),
                    new Wait("connectTimeout", Duration.ofMillis(1), "0", false),
                    new Wait("socketTimeout", Duration.ofMillis(1), "0", true)),
            new Known(
                    Pattern.compile("jdbc:mariadb:.*"),
                    Map.of(
                            "tcpKeepIdle", Integer.toString(KeepaliveSockets.IDLE_SECONDS),
                            "tcpKeepInterval", Integer.toString(KeepaliveSockets.INTERVAL_SECONDS),
                            "tcpKeepCount", Integer.toString(KeepaliveSockets.COUNT)),
                    new Wait("connectTimeout", Duration.ofMillis(1), "30000", false)),
            new Known(
                    Pattern.compile("jdbc:sqlserver:.*"),
                    Map.of(),
                    new Wait("loginTimeout", Duration.ofSeconds(1), "30", false)));

    /**
     * Connector/J uses TCP keepalive by itself, but with the timing of the operating system. The timing is set once its
     * socket exists.
     */
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

    /** Computes the properties for this driver, given the URL and the properties of the user. Does not connect. */
    static DriverTimeouts of(Driver driver, String url, Properties given, Duration timeout, boolean keepsAlive) {
        Map<String, String> properties = new HashMap<>();
        boolean outlives = false;
        boolean timesConnectorJ = false;
        Known known = known(url);
        if (known != null) {
            Map<String, @Nullable String> values = values(driver, url, given);
            for (Wait wait : known.waits) {
                // A value that equals the default of the driver counts as not set.
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

    /** False if the user has set any of these otherwise, or if the driver cannot find a class of Reservoir. */
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

    /** Returns the values as the driver itself reads them. */
    private static Map<String, @Nullable String> values(Driver driver, String url, Properties given) {
        Map<String, @Nullable String> values = new HashMap<>();
        Properties copy = new Properties();
        copy.putAll(given);
        try {
            for (DriverPropertyInfo info : driver.getPropertyInfo(url, copy)) {
                values.put(info.name, info.value);
            }
        } catch (SQLException | RuntimeException e) {
            // The connect reports what is wrong with the URL, in a better message.
            return Map.of();
        }
        return values;
    }

    /** The properties to add to those of the user. */
    Map<String, String> properties() {
        return properties;
    }

    /**
     * Sets the keepalive timing for a driver that has no property for it. Sends nothing to the server. Does not block.
     */
    void timeKeepalive(Connection connection) {
        Socket socket = timesConnectorJ ? ConnectorJSocket.of(connection) : null;
        if (socket != null) {
            KeepaliveSockets.setTiming(socket);
        }
    }

    /** Removes the timeout of the connect from a connection. Sends nothing to the server. */
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
     * A driver, recognized by its URLs.
     *
     * @param keepalive the properties that turn on TCP keepalive with its timing
     */
    private record Known(Pattern url, Map<String, String> keepalive, List<Wait> waits) {
        Known(Pattern url, Map<String, String> keepalive, Wait... waits) {
            this(url, keepalive, List.of(waits));
        }
    }

    /**
     * A property that bounds a wait.
     *
     * @param byDefault the value that the driver uses if the property is not set
     * @param outlivesTheConnect whether the value stays the network timeout of the connection, which otherwise has none
     */
    private record Wait(String property, Duration unit, String byDefault, boolean outlivesTheConnect) {

        /** Returns the timeout in the unit of the driver, rounded up, because 0 means no timeout. */
        String text(Duration timeout) {
            Duration most = Duration.ofSeconds(SECONDS_MAX);
            Duration capped = timeout.compareTo(most) < 0 ? timeout : most;
            return Long.toString(capped.plus(unit).minusNanos(1).dividedBy(unit));
        }
    }
}
