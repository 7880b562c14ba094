package dev.reservoir.dsql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The connection as the work of a transaction sees it: without the means to end the transaction, and of no use after it. It guards against
 * mistakes, not against intent: what a statement or the metadata call their connection, and what {@code unwrap} gives, is not guarded.
 */
final class GuardedConnection implements InvocationHandler {
    private final Connection connection;
    private final String operation;
    private volatile boolean over;

    GuardedConnection(Connection connection, String operation) {
        this.connection = connection;
        this.operation = operation;
    }

    Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
    }

    /** The attempt is over. */
    void end() {
        over = true;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        switch (name) {
            case "equals" -> {
                return arguments != null && proxy == arguments[0];
            }
            case "hashCode" -> {
                return System.identityHashCode(proxy);
            }
            case "toString" -> {
                return "transaction " + operation + " on " + connection;
            }
            case "isClosed" -> {
                return over || connection.isClosed();
            }
            default -> check(name, arguments == null ? new Object[0] : arguments);
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private void check(String name, Object[] arguments) throws SQLException {
        if (over) {
            throw new SQLException(
                    operation + ": " + name + "() on the connection of a transaction that is over", "08003");
        }
        boolean ends = switch (name) {
            case "commit", "close", "abort", "setReadOnly", "setTransactionIsolation" -> true;
            // Many libraries send it to be sure, and it is off.
            case "setAutoCommit" -> !Boolean.FALSE.equals(arguments[0]);
            case "rollback" -> arguments.length == 0;
            default -> false;
        };
        if (ends) {
            throw new SQLException(
                    operation + ": " + name
                            + "() is not allowed inside a transaction that may be run again; return to commit, throw to roll back",
                    "25000");
        }
    }
}
