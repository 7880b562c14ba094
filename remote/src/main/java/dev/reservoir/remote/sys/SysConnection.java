package dev.reservoir.remote.sys;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * A JDBC connection on a {@link SysSession}. Behaves like the connection of H2, except that every query is preceded by
 * a refresh, and statements that are no queries go to the registry. Never gives out the connection of H2 itself.
 */
final class SysConnection implements InvocationHandler {
    private final SysSession session;
    private final String url;

    private SysConnection(SysSession session, String url) {
        this.session = session;
        this.url = url;
    }

    static Connection of(SysSession session, String url) {
        return proxy(Connection.class, new SysConnection(session, url));
    }

    static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(SysConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, Object @Nullable [] given) throws Throwable {
        Object[] arguments = given == null ? new Object[0] : given;
        Connection connection = (Connection) self;
        return switch (method.getName()) {
            case "createStatement" ->
                SysStatement.of(session, connection, (Statement) delegate(session.reader(), method, arguments));
            case "prepareStatement" -> prepare(connection, method, arguments);
            case "prepareCall" ->
                throw new SQLFeatureNotSupportedException("prepareCall; use a Statement for CALL", "0A000");
            case "getMetaData" -> metaData(connection, session.reader().getMetaData());
            case "close" -> {
                session.close();
                yield null;
            }
            case "unwrap", "isWrapperFor" -> unwrap(self, method, (Class<?>) arguments[0]);
            case "equals" -> self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            case "toString" -> url;
            default -> delegate(session.reader(), method, arguments);
        };
    }

    private PreparedStatement prepare(Connection connection, Method method, Object[] arguments) throws Throwable {
        String sql = (String) arguments[0];
        if (SysSession.isStatement(sql)) {
            SysSession.check(sql);
            // Stands for a statement that returns nothing, so that close and the like work.
            PreparedStatement nothing = session.reader().prepareStatement("SELECT 1 WHERE FALSE");
            return SysStatement.of(session, connection, nothing, sql);
        }
        SysEngine.check(sql);
        return SysStatement.of(
                session, connection, (PreparedStatement) delegate(session.reader(), method, arguments), sql);
    }

    private DatabaseMetaData metaData(Connection connection, DatabaseMetaData delegate) {
        return proxy(DatabaseMetaData.class, (self, method, arguments) -> switch (method.getName()) {
            case "getConnection" -> connection;
            case "getURL" -> url;
            case "unwrap", "isWrapperFor" -> unwrap(self, method, (Class<?>) arguments[0]);
            default -> delegate(delegate, method, arguments == null ? new Object[0] : arguments);
        });
    }

    static Object unwrap(Object self, Method method, Class<?> type) throws SQLException {
        boolean is = type.isInstance(self);
        if (method.getName().equals("isWrapperFor")) {
            return is;
        }
        if (!is) {
            throw new SQLException("no " + type.getName() + " is here", "HY000");
        }
        return self;
    }

    static Object delegate(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
