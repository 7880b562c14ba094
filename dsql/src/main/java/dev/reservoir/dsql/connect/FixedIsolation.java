package dev.reservoir.dsql.connect;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;

/**
 * Wraps a connection to a server that has one isolation level, and that rejects even a statement that sets this level.
 * Setting or reading that level sends nothing. Any other level goes to the server, which rejects it.
 */
final class FixedIsolation {
    private static final int LEVEL = Connection.TRANSACTION_REPEATABLE_READ;

    private FixedIsolation() {}

    static Connection of(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                FixedIsolation.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    boolean setsIt = method.getName().equals("setTransactionIsolation");
                    if (setsIt && arguments[0].equals(LEVEL) && !connection.isClosed()) {
                        return null;
                    }
                    if (method.getName().equals("getTransactionIsolation") && !connection.isClosed()) {
                        return LEVEL;
                    }
                    if (method.getName().equals("equals")) {
                        return proxy == arguments[0];
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }
}
