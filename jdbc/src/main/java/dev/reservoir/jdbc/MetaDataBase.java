package dev.reservoir.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What is special about the metadata of a lent connection; the rest passes calls on and is generated. */
abstract class MetaDataBase implements DatabaseMetaData {
    private final ConnectionBase connection;
    private final DatabaseMetaData raw;

    MetaDataBase(ConnectionBase connection, DatabaseMetaData raw) {
        this.connection = connection;
        this.raw = raw;
    }

    /** The driver's metadata, while the loan lasts. Any question to it may become a query, and so start a transaction. */
    final DatabaseMetaData run() throws SQLException {
        connection.run();
        return raw;
    }

    final SQLException failed(SQLException e) {
        return connection.failed(e);
    }

    final @Nullable ResultSet lend(@Nullable ResultSet result) throws SQLException {
        return connection.lend(result);
    }

    @Override
    public final Connection getConnection() throws SQLException {
        connection.open();
        return connection;
    }

    /** Of the driver's own program, so there is no error to be had. */
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
        connection.open();
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        connection.exposing();
        try {
            return Unwrapping.unwrap(raw, type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        connection.open();
        try {
            return Unwrapping.isWrapperFor(this, raw, type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final String toString() {
        return "LentDatabaseMetaData[" + raw.getClass().getName() + "]";
    }
}
