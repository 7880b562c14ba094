package dev.reservoir.dsql.tx;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The connection that the work of a transaction receives. The work cannot end the transaction through it, neither by a
 * method nor by a statement, and cannot use it after the transaction. It guards against mistakes, not against intent.
 * The connection that the metadata or a prepared statement returns, and the result of {@code unwrap}, are not guarded.
 */
final class GuardedConnection {
    private static final Object[] NONE = {};

    private final Connection connection;
    private final String operation;
    private final Connection guarded;
    private volatile boolean ended;

    /** The error for the first refused statement. */
    private volatile @Nullable SQLException refused;

    GuardedConnection(Connection connection, String operation) {
        this.connection = connection;
        this.operation = operation;
        guarded = (Connection) Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, this::invoke);
    }

    Connection connection() {
        return guarded;
    }

    /** Ends the attempt. The connection cannot be used any more. */
    void end() {
        ended = true;
    }

    /** Returns the error for the first statement that was refused, or null if none was. The work may have caught it. */
    @Nullable
    SQLException refused() {
        return refused;
    }

    private @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] given) throws Throwable {
        Object[] arguments = given == null ? NONE : given;
        return switch (method.getName()) {
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "transaction " + operation + " on " + connection;
            case "isClosed" -> ended || connection.isClosed();
            default -> checkedCall(method, arguments);
        };
    }

    private @Nullable Object checkedCall(Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        check(name, arguments);
        if (name.equals("setTransactionIsolation")) {
            return null;
        }
        Object result = call(connection, method, arguments);
        return name.equals("createStatement") ? guarded((Statement) result) : result;
    }

    /** Returns a statement whose SQL text is checked. Prepared statements are checked when they are prepared. */
    private Statement guarded(Statement statement) {
        return (Statement) Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(), new Class<?>[] {Statement.class}, (proxy, method, given) -> {
                    Object[] arguments = given == null ? NONE : given;
                    switch (method.getName()) {
                        case "equals" -> {
                            return proxy == arguments[0];
                        }
                        case "getConnection" -> {
                            return guarded;
                        }
                        case "execute", "executeQuery", "executeUpdate", "executeLargeUpdate", "addBatch" ->
                            checkText(arguments);
                        default -> {}
                    }
                    return call(statement, method, arguments);
                });
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private void checkText(Object[] arguments) throws SQLException {
        if (arguments.length > 0 && arguments[0] instanceof String sql) {
            String control = TransactionControl.in(sql);
            if (control != null) {
                SQLException error = notAllowed("the statement " + control);
                if (refused == null) {
                    refused = error;
                }
                throw error;
            }
        }
    }

    /** Throws if the transaction has ended, or if this call would end or change it. */
    private void check(String name, Object[] arguments) throws SQLException {
        if (ended) {
            throw new SQLException(
                    operation + ": " + name + "() on the connection of a transaction that has ended", "08003");
        }
        boolean allowed = switch (name) {
            case "commit", "close", "abort", "setReadOnly" -> false;
            // Many libraries turn auto-commit off, or set the level, as a precaution. What is so already is harmless.
            case "setAutoCommit" -> Boolean.FALSE.equals(arguments[0]);
            case "setTransactionIsolation" -> arguments[0].equals(connection.getTransactionIsolation());
            case "rollback" -> arguments.length > 0;
            default -> true;
        };
        if (!allowed) {
            throw notAllowed(name + "()");
        }
        if (name.equals("prepareStatement") || name.equals("prepareCall")) {
            checkText(arguments);
        }
    }

    private SQLException notAllowed(String what) {
        return new SQLException(
                operation + ": " + what
                        + " is not allowed inside a transaction that may be run again; return to commit, throw to roll back",
                "25000");
    }
}
