package dev.reservoir.jdbc.wrap;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The six wrappers, for tests that apply to all of them. */
enum Kind {
    CONNECTION(Connection.class, WrappedConnection.class),
    STATEMENT(Statement.class, WrappedStatement.class),
    PREPARED(PreparedStatement.class, WrappedPreparedStatement.class),
    CALLABLE(CallableStatement.class, WrappedCallableStatement.class),
    RESULT_SET(ResultSet.class, WrappedResultSet.class),
    LOOSE_RESULT_SET(ResultSet.class, WrappedResultSet.class),
    META_DATA(DatabaseMetaData.class, WrappedDatabaseMetaData.class);

    /** Methods that the driver answers itself and that cannot fail. */
    static final Set<String> VERSIONS = Set.of("getDriverMajorVersion", "getDriverMinorVersion");

    final Class<?> api;
    final Class<?> wrapper;

    Kind(Class<?> api, Class<?> wrapper) {
        this.api = api;
        this.wrapper = wrapper;
    }

    /** Returns every method of the JDBC interface. */
    List<Method> methods() {
        return Arrays.stream(api.getMethods())
                .filter(m -> !Modifier.isStatic(m.getModifiers()))
                .toList();
    }

    /** Makes a wrapper of this kind on the connection. */
    Object on(Connection connection) throws SQLException {
        return switch (this) {
            case CONNECTION -> connection;
            case STATEMENT -> connection.createStatement();
            case PREPARED -> connection.prepareStatement("select 1");
            case CALLABLE -> connection.prepareCall("select 1");
            case RESULT_SET -> connection.createStatement().executeQuery("select 1");
            case LOOSE_RESULT_SET -> connection.getMetaData().getCatalogs();
            case META_DATA -> connection.getMetaData();
        };
    }

    /** Closes this wrapper only. */
    static void close(Object wrapper) throws Exception {
        ((AutoCloseable) wrapper).close();
    }
}
