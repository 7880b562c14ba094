package dev.reservoir.remote.adapter.database;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.PooledConnection;
import org.jspecify.annotations.Nullable;

/**
 * A connection that stays the same object while the driver's handle behind it is replaced. The driver marks a session
 * for a reset when it hands out a new handle for the same physical connection.
 */
final class SqlServerConnection implements InvocationHandler {
    private static final String POOL_DATA_SOURCE = "com.microsoft.sqlserver.jdbc.SQLServerConnectionPoolDataSource";

    private final PooledConnection physical;
    private volatile Connection handle;

    private SqlServerConnection(PooledConnection physical) throws SQLException {
        this.physical = physical;
        this.handle = physical.getConnection();
    }

    /** Opens a connection. Blocks. */
    static Connection open(Driver driver, String url, @Nullable String user, @Nullable String password)
            throws SQLException {
        PooledConnection physical = user == null || password == null
                ? source(driver, url).getPooledConnection()
                : source(driver, url).getPooledConnection(user, password);
        try {
            return (Connection) Proxy.newProxyInstance(
                    SqlServerConnection.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    new SqlServerConnection(physical));
        } catch (SQLException | RuntimeException e) {
            physical.close();
            throw e;
        }
    }

    private static ConnectionPoolDataSource source(Driver driver, String url) throws SQLException {
        try {
            Class<?> type =
                    Class.forName(POOL_DATA_SOURCE, true, driver.getClass().getClassLoader());
            Object source = type.getDeclaredConstructor().newInstance();
            type.getMethod("setURL", String.class).invoke(source, url);
            return (ConnectionPoolDataSource) source;
        } catch (ReflectiveOperationException e) {
            throw new SQLException("the driver has no " + POOL_DATA_SOURCE, "08001", e);
        }
    }

    /** Marks the session for a reset, which the server makes before the next statement. */
    static void renew(Connection connection) throws SQLException {
        SqlServerConnection own = (SqlServerConnection) Proxy.getInvocationHandler(connection);
        own.handle.close();
        own.handle = own.physical.getConnection();
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        switch (method.getName()) {
            case "close" -> {
                physical.close();
                return null;
            }
            case "equals" -> {
                return arguments != null && proxy == arguments[0];
            }
            case "hashCode" -> {
                return System.identityHashCode(proxy);
            }
            default -> {
                try {
                    return method.invoke(handle, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause() == null ? e : e.getCause();
                }
            }
        }
    }
}
