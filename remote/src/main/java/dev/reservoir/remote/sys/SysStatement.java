package dev.reservoir.remote.sys;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A statement of a {@link SysConnection}. Sends each text to H2, after a refresh, or to the registry. */
final class SysStatement implements InvocationHandler {
    private static final int NO_COUNT = -1;

    private final SysSession session;
    private final Connection connection;
    private final Statement delegate;
    private final @Nullable String prepared;

    /** Whether the last execution went to the registry, so that H2 does not know its result. */
    private boolean executed;

    /** The update count of the last execution that went to the registry. */
    private int count = NO_COUNT;

    private SysStatement(SysSession session, Connection connection, Statement delegate, @Nullable String prepared)
            throws SQLException {
        this.session = session;
        this.connection = connection;
        this.delegate = delegate;
        this.prepared = prepared;
        delegate.setQueryTimeout(SysSession.QUERY_TIMEOUT_SECONDS);
        delegate.setMaxRows(SysSession.ROWS_MAX);
    }

    static Statement of(SysSession session, Connection connection, Statement delegate) throws SQLException {
        return SysConnection.proxy(Statement.class, new SysStatement(session, connection, delegate, null));
    }

    static PreparedStatement of(SysSession session, Connection connection, PreparedStatement delegate, String sql)
            throws SQLException {
        return SysConnection.proxy(PreparedStatement.class, new SysStatement(session, connection, delegate, sql));
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, Object @Nullable [] given) throws Throwable {
        Object[] arguments = given == null ? new Object[0] : given;
        String name = method.getName();
        if (name.equals("executeBatch") || name.equals("executeLargeBatch") || name.equals("addBatch")) {
            throw new SQLFeatureNotSupportedException(name + "; execute the statements one by one", "0A000");
        }
        if (name.startsWith("execute")) {
            return execute(method, arguments);
        }
        if (executed && isResult(name)) {
            return result(name);
        }
        return switch (name) {
            case "getConnection" -> connection;
            case "unwrap", "isWrapperFor" -> SysConnection.unwrap(self, method, (Class<?>) arguments[0]);
            case "equals" -> self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            default -> SysConnection.delegate(delegate, method, arguments);
        };
    }

    private @Nullable Object execute(Method method, Object[] arguments) throws Throwable {
        String sql = arguments.length > 0 ? (String) arguments[0] : prepared;
        if (sql == null) {
            throw new SQLException("there is no statement to execute", "07001");
        }
        executed = SysSession.isStatement(sql);
        if (!executed) {
            SysEngine.check(sql);
            session.refresh(sql);
            return SysConnection.delegate(delegate, method, arguments);
        }
        if (method.getName().equals("executeQuery")) {
            throw new SQLException("the statement returns no rows; use execute", "02000");
        }
        count = NO_COUNT;
        session.execute(sql);
        count = 0;
        return switch (method.getName()) {
            case "executeUpdate" -> 0;
            case "executeLargeUpdate" -> 0L;
            default -> false;
        };
    }

    private static boolean isResult(String name) {
        return switch (name) {
            case "getResultSet", "getUpdateCount", "getLargeUpdateCount", "getMoreResults", "getMetaData" -> true;
            default -> false;
        };
    }

    private @Nullable Object result(String name) {
        return switch (name) {
            case "getUpdateCount" -> count;
            case "getLargeUpdateCount" -> (long) count;
            case "getMoreResults" -> {
                count = NO_COUNT;
                yield false;
            }
            default -> null;
        };
    }
}
