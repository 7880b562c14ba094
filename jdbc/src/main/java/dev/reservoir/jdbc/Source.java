package dev.reservoir.jdbc;

import dev.reservoir.core.spi.Credentials.Credential;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Where physical connections come from: a driver and a URL, or a data source. Blocks while it connects, for as long as the
 * driver takes; what it is told about that is {@link ConnectBound}'s.
 */
abstract class Source {

    /** Connects with this user and secret; a user that is missing is the one of the settings, if they name one. */
    abstract Connection connect(Credential credential) throws SQLException;

    /** The URL, secrets included, or null. */
    abstract @Nullable String url();

    /** The source that the settings name. Loads the driver, but does not connect. */
    static Source of(Config config) {
        DataSource dataSource = config.dataSource;
        if (dataSource != null) {
            return new OfDataSource(dataSource, config.username);
        }
        String url = config.url;
        if (url == null) {
            throw new IllegalArgumentException("url is missing; allowed: a JDBC URL, or a dataSource in its place");
        }
        Properties properties = new Properties();
        properties.putAll(config.driverProperties);
        if (config.username != null) {
            properties.setProperty("user", config.username);
        }
        Driver driver = driver(config.driverClassName, url);
        return new OfDriver(driver, url, properties, ConnectBound.of(driver, url, properties, config.connectTimeout));
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
            throw new IllegalArgumentException(
                    "url is " + Secrets.maskUrl(url) + "; allowed: a URL that a driver on the class path accepts;"
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
        throw new IllegalArgumentException(
                "url is " + Secrets.maskUrl(url) + "; allowed: a URL that the driverClassName accepts, which is "
                        + driver.getClass().getName(),
                failure);
    }

    /** The DriverManager shows only drivers that its caller's class loader sees; an application's may see more. */
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
        ClassLoader[] loaders = {Thread.currentThread().getContextClassLoader(), Source.class.getClassLoader()};
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
        throw new IllegalArgumentException(
                "driverClassName is " + className + "; allowed: a java.sql.Driver on the class path", failure);
    }

    private static final class OfDriver extends Source {
        private final Driver driver;
        private final String url;
        private final Properties properties;
        private final ConnectBound bound;

        OfDriver(Driver driver, String url, Properties properties, ConnectBound bound) {
            this.driver = driver;
            this.url = url;
            this.properties = properties;
            this.bound = bound;
        }

        @Override
        Connection connect(Credential credential) throws SQLException {
            Properties login = new Properties();
            login.putAll(properties);
            login.putAll(bound.properties());
            if (credential.user() != null) {
                login.setProperty("user", credential.user());
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
            bound.lift(connection);
            return connection;
        }

        @Override
        String url() {
            return url;
        }
    }

    private static final class OfDataSource extends Source {
        private final DataSource dataSource;
        private final @Nullable String defaultUser;

        OfDataSource(DataSource dataSource, @Nullable String defaultUser) {
            this.dataSource = dataSource;
            this.defaultUser = defaultUser;
        }

        @Override
        Connection connect(Credential credential) throws SQLException {
            String user = credential.user() == null ? defaultUser : credential.user();
            if (user == null && credential.secret() != null) {
                throw new SQLException(
                        "username is missing; needed to log in to a dataSource with a password or token", "28000");
            }
            Connection connection =
                    user == null ? dataSource.getConnection() : dataSource.getConnection(user, credential.secret());
            if (connection == null) {
                throw new SQLException("the dataSource returned no connection", "08001");
            }
            return connection;
        }

        @Override
        @Nullable
        String url() {
            return null;
        }
    }
}
