package dev.reservoir.jdbc.wrap;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The parts of wrapped metadata that do more than pass a call on. The generated subclass passes on the other calls.
 * Never reaches the driver after the checkout has ended.
 */
abstract class MetaDataBase implements DatabaseMetaData {
    private final ConnectionBase connection;
    private final DatabaseMetaData raw;

    MetaDataBase(ConnectionBase connection, DatabaseMetaData raw) {
        this.connection = connection;
        this.raw = raw;
    }

    /** A call of the driver's metadata. */
    @FunctionalInterface
    interface MetaDataCall<R extends @Nullable Object> {
        R of(DatabaseMetaData raw) throws SQLException;
    }

    /** Makes a call of the driver while the checkout lasts. Any of them may run a query and so start a transaction. */
    final <R extends @Nullable Object> R run(MetaDataCall<R> call) throws SQLException {
        connection.run();
        return connection.ending(() -> call.of(raw));
    }

    final @Nullable ResultSet wrap(@Nullable ResultSet result) throws SQLException {
        return connection.wrap(result);
    }

    @Override
    public final Connection getConnection() throws SQLException {
        connection.checkOpen();
        return connection;
    }

    /** Describes the driver itself, so it needs no open connection. */
    @Override
    public final int getDriverMajorVersion() {
        return raw.getDriverMajorVersion();
    }

    @Override
    public final int getDriverMinorVersion() {
        return raw.getDriverMinorVersion();
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            connection.checkOpen();
            return type.cast(this);
        }
        connection.expose();
        return connection.leaving(() -> Unwrapping.unwrap(raw, type));
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        connection.enter();
        return connection.leaving(() -> Unwrapping.isWrapperFor(this, raw, type));
    }

    @Override
    public final String toString() {
        return "WrappedDatabaseMetaData[" + raw.getClass().getName() + "]";
    }
}
