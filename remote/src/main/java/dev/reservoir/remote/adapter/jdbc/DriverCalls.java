package dev.reservoir.remote.adapter.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Calls public methods of drivers that JDBC does not know. Drivers are optional, so nothing is compiled against them.
 */
public final class DriverCalls {
    private DriverCalls() {}

    /**
     * The connection as an interface of its driver.
     *
     * @throws SQLException if the driver has no such interface, or the connection does not implement it
     */
    public static Object unwrap(Connection connection, String interfaceName, ClassLoader loader) throws SQLException {
        try {
            return connection.unwrap(Class.forName(interfaceName, false, loader));
        } catch (ClassNotFoundException e) {
            throw new SQLException("the driver has no " + interfaceName, "0A000", e);
        }
    }

    /**
     * Calls a public method without parameters, as declared by a public type.
     *
     * @throws SQLException what the method threw, or that there is no such method
     */
    public static @Nullable Object call(Object target, String typeName, String method) throws SQLException {
        try {
            Class<?> type = Class.forName(typeName, false, target.getClass().getClassLoader());
            return type.getMethod(method).invoke(target);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException thrown) {
                throw thrown;
            }
            throw new SQLException(method + " of the driver failed", "HY000", e.getCause());
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            throw new SQLException("the driver has no " + typeName + "." + method, "0A000", e);
        }
    }
}
