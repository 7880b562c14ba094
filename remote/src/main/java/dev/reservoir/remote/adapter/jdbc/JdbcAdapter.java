package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.core.util.Causes;
import dev.reservoir.core.util.Text;
import dev.reservoir.remote.adapter.AdapterSession;
import dev.reservoir.remote.adapter.Adapters;
import dev.reservoir.remote.adapter.Capability;
import dev.reservoir.remote.adapter.ConnectPlan;
import dev.reservoir.remote.adapter.DatabaseAdapter;
import dev.reservoir.remote.adapter.DriverInfo;
import dev.reservoir.remote.adapter.RemoteFailure;
import dev.reservoir.remote.adapter.SessionObserver;
import dev.reservoir.remote.adapter.traffic.ConnectTicket;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.SslMode;
import dev.reservoir.remote.model.UserMapping;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An adapter for a database with JDBC drivers. A database adds its table of errors and one {@link DriverProfile} for
 * each driver.
 */
public abstract class JdbcAdapter implements DatabaseAdapter {
    /** The option for the driver that names the driver to use, where a database has several. */
    public static final String DRIVER_NAME_OPTION = "name";

    private static final Set<RemoteErrorCode> SAME_WITHOUT_TLS =
            EnumSet.of(RemoteErrorCode.TIMEOUT, RemoteErrorCode.OBJECT_NOT_FOUND, RemoteErrorCode.SERVER_UNAVAILABLE);

    private final String name;
    private final int defaultPort;
    private final String healthQuery;
    private final ErrorTable errors;
    private final List<DriverProfile> profiles;

    /**
     * An adapter for one of the known types.
     *
     * @param profiles the drivers, the preferred one first
     */
    protected JdbcAdapter(RemoteDatabaseType type, ErrorTable errors, DriverProfile... profiles) {
        this(type.label(), type.defaultPort(), type.healthQuery(), errors, profiles);
    }

    /**
     * An adapter for a database that is none of the known types. A server names it by the option
     * {@code driver.adapter}.
     *
     * @param profiles the drivers, the preferred one first
     */
    protected JdbcAdapter(
            String name, int defaultPort, String healthQuery, ErrorTable errors, DriverProfile... profiles) {
        this.name = name;
        this.defaultPort = defaultPort;
        this.healthQuery = healthQuery;
        this.errors = errors;
        this.profiles = List.of(profiles);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final int defaultPort() {
        return defaultPort;
    }

    @Override
    public final String healthQuery() {
        return healthQuery;
    }

    @Override
    public final Set<Capability> capabilities() {
        return profiles.stream()
                .flatMap(profile -> profile.capabilities().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public final RemoteFailure classify(SQLException error) {
        return errors.classify(error);
    }

    @Override
    public final DriverInfo driver(ServerDefinition server) throws RemoteException {
        return loaded(server).profile.info();
    }

    @Override
    public final ConnectPlan plan(ServerDefinition server, UserMapping mapping) throws RemoteException {
        DriverProfile profile = loaded(server).profile;
        SslMode mode = profile.attempts(server.sslMode()).get(0);
        Duration timeout = server.pool().connectTimeout();
        return plan(profile, new ConnectOptions(server, mapping, profile.info(), mode, timeout));
    }

    private static ConnectPlan plan(DriverProfile profile, ConnectOptions options) throws RemoteException {
        Properties properties = new Properties();
        profile.configure(options, properties);
        properties.putAll(options.server().driverProperties());
        properties.putAll(options.mapping().driverProperties());
        properties.remove(DRIVER_NAME_OPTION);
        properties.remove(Adapters.ADAPTER_OPTION);
        return new ConnectPlan(profile.info(), profile.url(options), properties);
    }

    @Override
    public final AdapterSession connect(ServerDefinition server, UserMapping mapping, Duration timeout)
            throws RemoteException {
        return connect(server, mapping, timeout, SessionObserver.NONE);
    }

    @Override
    public final AdapterSession connect(
            ServerDefinition server, UserMapping mapping, Duration timeout, SessionObserver observer)
            throws RemoteException {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new RemoteException(
                    RemoteErrorCode.TIMEOUT, server.name() + ": no time left to connect to " + address(server));
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        Loaded loaded = loaded(server);
        List<SslMode> modes = loaded.profile.attempts(server.sslMode());
        for (int i = 0; ; i++) {
            Duration left = Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
            try {
                return attempt(
                        loaded,
                        new ConnectOptions(server, mapping, loaded.profile.info(), modes.get(i), left),
                        observer);
            } catch (RemoteException e) {
                if (i == modes.size() - 1 || !mayDifferWithoutTls(e, modes.get(i)) || deadline < System.nanoTime()) {
                    throw e;
                }
            }
        }
    }

    /** Whether the next attempt, with or without TLS, may succeed where this one failed. */
    private static boolean mayDifferWithoutTls(RemoteException failed, SslMode mode) {
        if (Causes.contain(failed, ConnectException.class)
                || Causes.contain(failed, UnknownHostException.class)
                || Causes.contain(failed, NoRouteToHostException.class)
                || failed.code() == RemoteErrorCode.INVALID_OPTION) {
            return false;
        }
        // A server that wants TLS says so by refusing the login.
        boolean login = failed.code() == RemoteErrorCode.AUTHENTICATION_FAILED;
        return login ? mode == SslMode.DISABLE : !SAME_WITHOUT_TLS.contains(failed.code());
    }

    private AdapterSession attempt(Loaded loaded, ConnectOptions options, SessionObserver observer)
            throws RemoteException {
        PasswordMask mask = new PasswordMask(options.password());
        ConnectPlan plan = plan(loaded.profile, options);
        Connection connection = null;
        try {
            connection = opened(loaded, plan, observer);
            return JdbcSession.open(this, loaded.profile, connection, options, plan.properties(), mask, observer);
        } catch (SQLException e) {
            closeQuietly(connection);
            throw failedConnect(mask.clean(e), options);
        } catch (RuntimeException e) {
            closeQuietly(connection);
            throw failedConnect(mask.clean(new SQLException(Text.oneLine(e), "08001", e)), options);
        }
    }

    private static Connection opened(Loaded loaded, ConnectPlan plan, SessionObserver observer) throws SQLException {
        Properties properties = plan.properties();
        Connection connection;
        try (ConnectTicket ticket = ConnectTicket.open(observer)) {
            if (observer != SessionObserver.NONE) {
                loaded.profile.countBytes(properties, ticket.id());
            }
            connection = loaded.profile.open(loaded.driver, plan.url(), properties);
            if (connection == null) {
                throw new SQLException("the driver does not accept the URL " + plan.url(), "08001");
            }
            if (ticket.isUsed()) {
                observer.openedCounted();
            } else {
                observer.openedUncounted();
            }
        }
        return connection;
    }

    private RemoteException failedConnect(SQLException error, ConnectOptions options) {
        RemoteFailure failure = classify(error);
        // At a connect, an error without a meaning of its own is a failed connect.
        RemoteErrorCode code = switch (failure.code()) {
            case SYNTAX_ERROR, NETWORK_ERROR -> RemoteErrorCode.CONNECTION_FAILED;
            default -> failure.code();
        };
        boolean retryable = code == failure.code() ? failure.retryable() : code.isRetryable();
        ServerDefinition server = options.server();
        return new RemoteException(
                code,
                server.name() + ": cannot connect to " + address(server) + " as "
                        + options.mapping().remoteUser() + ": " + Text.words(error),
                error,
                retryable);
    }

    private static String address(ServerDefinition server) {
        String database = server.database();
        return server.host() + ":" + server.port() + (database == null ? "" : "/" + database);
    }

    private static void closeQuietly(@Nullable Connection connection) {
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException | RuntimeException e) {
                // The error that led here is reported.
                return;
            }
        }
    }

    /** A profile and its driver. */
    private record Loaded(DriverProfile profile, Driver driver) {}

    private Loaded loaded(ServerDefinition server) throws RemoteException {
        String wanted = server.driverOptions().get(DRIVER_NAME_OPTION);
        List<DriverProfile> candidates = profiles.stream()
                .filter(profile ->
                        wanted == null || wanted.equals(profile.info().name()))
                .toList();
        if (candidates.isEmpty()) {
            List<String> names =
                    profiles.stream().map(profile -> profile.info().name()).toList();
            throw RemoteException.invalidOption("driver.name", wanted == null ? "" : wanted, String.join(", ", names));
        }
        for (DriverProfile profile : candidates) {
            Driver driver = DriverLoader.find(profile.info().className());
            if (driver != null) {
                return new Loaded(profile, driver);
            }
        }
        String artifacts =
                candidates.stream().map(profile -> profile.info().artifact()).collect(Collectors.joining(" or "));
        String classes =
                candidates.stream().map(profile -> profile.info().className()).collect(Collectors.joining(" or "));
        throw new RemoteException(
                RemoteErrorCode.CONNECTION_FAILED,
                server.name() + ": the JDBC driver for " + name + " (" + classes + ") is not on the class path; add "
                        + artifacts,
                null,
                false);
    }
}
