package dev.reservoir.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.ShardingKey;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;

/**
 * The part of a lent connection that ends transactions and changes settings, all of which is undone on return. What it throws
 * itself once the loan has ended is not taken for an error of the connection, see {@link #failed}.
 */
abstract class SettingsBase extends ConnectionBase {

    SettingsBase(PhysicalConnection physical, Home home) {
        super(physical, home);
    }

    private Session session() throws SQLException {
        open();
        return physical.session;
    }

    @Override
    public final void commit() throws SQLException {
        try {
            run().commit();
            transactionEnded();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final void rollback() throws SQLException {
        try {
            run().rollback();
            transactionEnded();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** Switching it on ends a transaction. If that fails, the driver has to be asked where it stands. */
    @Override
    public final void setAutoCommit(boolean autoCommit) throws SQLException {
        Session session = session();
        try {
            session.setAutoCommit(autoCommit);
        } catch (SQLException e) {
            exposing();
            throw failed(e);
        }
        if (autoCommit) {
            transactionEnded();
        }
    }

    @Override
    public final void setReadOnly(boolean readOnly) throws SQLException {
        try {
            session().setReadOnly(readOnly);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final void setTransactionIsolation(int level) throws SQLException {
        try {
            run();
            session().setIsolation(level);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** A setting that is kept on the server may be sent there in a transaction. */
    @Override
    public final void setCatalog(String catalog) throws SQLException {
        try {
            run();
            session().setCatalog(catalog);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final void setSchema(String schema) throws SQLException {
        try {
            run();
            session().setSchema(schema);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final void setHoldability(int holdability) throws SQLException {
        try {
            session().setHoldability(holdability);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final void setNetworkTimeout(Executor executor, int milliseconds) throws SQLException {
        try {
            session().setNetworkTimeout(executor, milliseconds);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    @SuppressWarnings("NullAway") // a driver may have none
    public final Map<String, Class<?>> getTypeMap() throws SQLException {
        try {
            return session().typeMap();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final void setTypeMap(Map<String, Class<?>> map) throws SQLException {
        try {
            session().setTypeMap(map);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final void setClientInfo(String name, String value) throws SQLClientInfoException {
        try {
            run();
            session().setClientInfo(name, value);
        } catch (SQLException e) {
            throw clientInfoFailed(e);
        }
    }

    @Override
    public final void setClientInfo(Properties properties) throws SQLClientInfoException {
        try {
            run();
            session().setClientInfo(properties);
        } catch (SQLException e) {
            throw clientInfoFailed(e);
        }
    }

    private SQLClientInfoException clientInfoFailed(SQLException e) {
        SQLException judged = failed(e);
        return judged instanceof SQLClientInfoException info
                ? info
                : new SQLClientInfoException(e.getMessage(), e.getSQLState(), Map.of(), e);
    }

    @Override
    public final void setShardingKey(ShardingKey key) throws SQLException {
        try {
            run().setShardingKey(key);
            session().shardingKeyChanged();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final void setShardingKey(ShardingKey key, ShardingKey superKey) throws SQLException {
        try {
            run().setShardingKey(key, superKey);
            session().shardingKeyChanged();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final boolean setShardingKeyIfValid(ShardingKey key, int timeoutSeconds) throws SQLException {
        try {
            boolean done = run().setShardingKeyIfValid(key, timeoutSeconds);
            if (done) {
                session().shardingKeyChanged();
            }
            return done;
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final boolean setShardingKeyIfValid(ShardingKey key, ShardingKey superKey, int timeoutSeconds)
            throws SQLException {
        try {
            boolean done = run().setShardingKeyIfValid(key, superKey, timeoutSeconds);
            if (done) {
                session().shardingKeyChanged();
            }
            return done;
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final DatabaseMetaData getMetaData() throws SQLException {
        try {
            return new LentDatabaseMetaData(this, open().getMetaData());
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        open();
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        try {
            return Unwrapping.unwrap(expose(), type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        try {
            return Unwrapping.isWrapperFor(this, open(), type);
        } catch (SQLException e) {
            throw failed(e);
        }
    }
}
