package dev.reservoir.dsql;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** A database that does nothing but remember which calls came, and fail those that it is told to. For one thread. */
public final class ScriptedDatabase {
    /** What came, in its order, such as {@code open}, {@code setAutoCommit(false)}, {@code commit}. */
    public final List<String> calls = new ArrayList<>();

    public int open;
    public boolean autoCommit = true;
    boolean readOnly;
    private final Map<String, Deque<Exception>> failures = new HashMap<>();

    /** The next call of this method fails so. */
    public ScriptedDatabase failing(String method, Exception error) {
        failures.computeIfAbsent(method, any -> new ArrayDeque<>()).add(error);
        return this;
    }

    public DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                ScriptedDatabase.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "getConnection" -> {
                        happens("open");
                        open++;
                        yield connection();
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private void happens(String call) throws Exception {
        calls.add(call);
        Deque<Exception> planned = failures.get(call.replaceAll("\\(.*", ""));
        if (planned != null && !planned.isEmpty()) {
            throw planned.remove();
        }
    }

    private Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                ScriptedDatabase.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    switch (method.getName()) {
                        case "getAutoCommit" -> {
                            return autoCommit;
                        }
                        case "isReadOnly" -> {
                            return readOnly;
                        }
                        case "getTransactionIsolation" -> {
                            return Connection.TRANSACTION_REPEATABLE_READ;
                        }
                        case "isClosed", "isWrapperFor" -> {
                            return false;
                        }
                        case "toString" -> {
                            return "scripted";
                        }
                        case "setAutoCommit" -> {
                            happens("setAutoCommit(" + args[0] + ")");
                            autoCommit = (boolean) args[0];
                        }
                        case "setReadOnly" -> {
                            happens("setReadOnly(" + args[0] + ")");
                            readOnly = (boolean) args[0];
                        }
                        case "close" -> {
                            open--;
                            happens("close");
                        }
                        case "commit", "rollback", "clearWarnings" -> happens(method.getName());
                        default -> throw new SQLException("not scripted: " + method.getName());
                    }
                    return null;
                });
    }
}
