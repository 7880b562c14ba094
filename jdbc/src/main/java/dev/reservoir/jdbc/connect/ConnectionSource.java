package dev.reservoir.jdbc.connect;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.jdbc.ConnectionReset;
import dev.reservoir.jdbc.DeadPeerDetection;
import dev.reservoir.jdbc.config.Config;
import dev.reservoir.jdbc.config.DataSourceSettings;
import dev.reservoir.jdbc.config.NamedDataSource;
import dev.reservoir.jdbc.log.Secrets;
import dev.reservoir.jdbc.session.SessionSetup;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens physical connections, through a driver and a URL or through a data source. Blocks while it connects, for as
 * long as the driver takes; {@link DriverTimeouts} bounds that. Never retries.
 */
public abstract class ConnectionSource {
    /** The settings. User and timeout may change while the data source runs. */
    private final Config config;

    private final SessionSetup setup;

    /** Makes a source with default settings. */
    ConnectionSource() {
        this(new Config());
    }

    ConnectionSource(Config config) {
        this.config = config;
        this.setup = config.sessionSetup();
    }

    /**
     * Connects with this user and secret, and prepares the connection according to the settings. If the credential has
     * no user, the user of the settings is used, if there is one. Blocks.
     */
    public abstract Connection connect(Credential credential) throws SQLException;

    final Duration connectTimeout() {
        return config.get(DataSourceSettings.CONNECT_TIMEOUT);
    }

    final @Nullable String user(Credential credential) {
        return credential.user() == null ? config.given(DataSourceSettings.USERNAME) : credential.user();
    }

    /** The only isolation level that the server has, or null if it has several. */
    final @Nullable Integer onlyIsolation() {
        return config.given(DataSourceSettings.ONLY_TRANSACTION_ISOLATION);
    }

    /** Clears what JDBC cannot restore at the end of a checkout, or null if nothing does. */
    final @Nullable ConnectionReset connectionReset() {
        return config.given(DataSourceSettings.CONNECTION_RESET);
    }

    /** Prepares a new connection, and closes it if that fails. */
    final void prepare(Connection connection) throws SQLException {
        setup.apply(connection, connectTimeout());
    }

    /** Called when {@code connectTimeout} has changed. The new value applies to connects that begin from now on. */
    public void connectTimeoutChanged() {}

    /** The URL with its secrets, or null. */
    abstract @Nullable String url();

    /** Makes the source that the settings describe. Loads the driver, but does not connect. */
    public static ConnectionSource of(Config config) {
        DataSource dataSource = config.given(DataSourceSettings.DATA_SOURCE);
        if (dataSource != null) {
            return new OfDataSource(config, dataSource);
        }
        String className = config.given(DataSourceSettings.DATA_SOURCE_CLASS_NAME);
        if (className != null) {
            return new OfDataSource(config, NamedDataSource.make(className, config.driverProperties()));
        }
        String url = config.given(DataSourceSettings.URL);
        if (url == null) {
            throw SettingException.missing("url", "a JDBC URL, or a dataSource in its place");
        }
        return new OfDriver(config, driver(config.given(DataSourceSettings.DRIVER_CLASS_NAME), url), url);
    }

    private static Driver driver(@Nullable String className, String url) {
        if (className != null) {
            return accepting(instance(className), url);
        }
        try {
            return DriverManager.getDriver(url);
        } catch (SQLException none) {
            Driver found = ofContext(url);
            if (found != null) {
                return found;
            }
            throw new SettingException(
                    "url",
                    Secrets.maskUrl(url),
                    "a URL that a driver on the class path accepts;"
                            + " set driverClassName if the driver does not register itself",
                    none);
        }
    }

    private static Driver accepting(Driver driver, String url) {
        SQLException failure = null;
        try {
            if (driver.acceptsURL(url)) {
                return driver;
            }
        } catch (SQLException e) {
            failure = Secrets.clean(e, null, url);
        }
        throw new SettingException(
                "url",
                Secrets.maskUrl(url),
                "a URL that the driverClassName accepts, which is "
                        + driver.getClass().getName(),
                failure);
    }

    /**
     * DriverManager shows only drivers that the class loader of its caller can see. The class loader of the application
     * may see more.
     */
    private static @Nullable Driver ofContext(String url) {
        try {
            for (Driver driver : ServiceLoader.load(Driver.class)) {
                if (driver.acceptsURL(url)) {
                    return driver;
                }
            }
        } catch (SQLException | ServiceConfigurationError unusable) {
            return null;
        }
        return null;
    }

    private static Driver instance(String className) {
        ReflectiveOperationException failure = null;
        ClassLoader[] loaders = {Thread.currentThread().getContextClassLoader(), ConnectionSource.class.getClassLoader()
        };
        for (ClassLoader loader : loaders) {
            try {
                Class<?> type = Class.forName(className, true, loader);
                return (Driver) type.getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException e) {
                failure = e;
            } catch (ClassCastException e) {
                break;
            }
        }
        throw new SettingException("driverClassName", className, "a java.sql.Driver on the class path", failure);
    }

    private static final class OfDriver extends ConnectionSource {
        private final Driver driver;
        private final String url;
        private final boolean keepsAlive;
        private final Properties properties = new Properties();
        private volatile DriverTimeouts bound;

        OfDriver(Config config, Driver driver, String url) {
            super(config);
            this.driver = driver;
            this.url = url;
            keepsAlive = config.get(DataSourceSettings.DEAD_PEER_DETECTION) != DeadPeerDetection.OFF;
            properties.putAll(config.driverProperties());
            bound = DriverTimeouts.of(driver, url, properties, connectTimeout(), keepsAlive);
        }

        @Override
        public void connectTimeoutChanged() {
            bound = DriverTimeouts.of(driver, url, properties, connectTimeout(), keepsAlive);
        }

        @Override
        public Connection connect(Credential credential) throws SQLException {
            DriverTimeouts bound = this.bound;
            Properties login = new Properties();
            login.putAll(properties);
            login.putAll(bound.properties());
            String user = user(credential);
            if (user != null) {
                login.setProperty("user", user);
            }
            if (credential.secret() != null) {
                login.setProperty("password", credential.secret());
            }
            Connection connection = driver.connect(url, login);
            if (connection == null) {
                throw new SQLException(
                        "url is " + Secrets.maskUrl(url) + "; allowed: a URL that "
                                + driver.getClass().getName() + " accepts",
                        "08001");
            }
            bound.timeKeepalive(connection);
            // The timeout still applies here, so that a server that does not answer cannot block this thread for ever.
            prepare(connection);
            bound.lift(connection);
            return connection;
        }

        @Override
        String url() {
            return url;
        }
    }

    private static final class OfDataSource extends ConnectionSource {
        private final DataSource dataSource;

        OfDataSource(Config config, DataSource dataSource) {
            super(config);
            this.dataSource = dataSource;
        }

        @Override
        public Connection connect(Credential credential) throws SQLException {
            String user = user(credential);
            if (user == null && credential.secret() != null) {
                throw new SQLException(
                        "username is missing; needed to log in to a dataSource with a password or token", "28000");
            }
            Connection connection =
                    user == null ? dataSource.getConnection() : dataSource.getConnection(user, credential.secret());
            if (connection == null) {
                throw new SQLException("the dataSource returned no connection", "08001");
            }
            prepare(connection);
            return connection;
        }

        @Override
        @Nullable
        String url() {
            return null;
        }
    }
}
