package dev.reservoir.jdbc.wrap;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.ShardingKey;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;

/**
 * The part of a wrapped connection that ends transactions and changes settings. All changes are undone on release.
 * Errors that this class throws after the end of the checkout do not count as errors of the connection, see
 * {@link #failed}.
 */
abstract class SettingsBase extends ConnectionBase {

    SettingsBase(PhysicalConnection physical, ConnectionOwner owner, boolean underPool) {
        super(physical, owner, underPool);
    }

    @Override
    public final void commit() throws SQLException {
        Connection raw = run();
        try {
            raw.commit();
            transactionEnded();
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final void rollback() throws SQLException {
        Connection raw = run();
        try {
            raw.rollback();
            transactionEnded();
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    /**
     * Switching auto-commit on ends a transaction. If the switch fails, only the driver knows its state and has to be
     * asked.
     */
    @Override
    public final void setAutoCommit(boolean autoCommit) throws SQLException {
        change();
        try {
            physical.session.setAutoCommit(autoCommit);
            if (autoCommit) {
                transactionEnded();
            }
        } catch (SQLException | Error e) {
            exposing();
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final void setReadOnly(boolean readOnly) throws SQLException {
        change();
        try {
            physical.session.setReadOnly(readOnly);
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final int getTransactionIsolation() throws SQLException {
        run();
        try {
            return physical.session.isolation();
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final void setTransactionIsolation(int level) throws SQLException {
        changeOnServer();
        try {
            physical.session.setIsolation(level);
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final void setCatalog(String catalog) throws SQLException {
        changeOnServer();
        try {
            physical.session.setCatalog(catalog);
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final void setSchema(String schema) throws SQLException {
        changeOnServer();
        try {
            physical.session.setSchema(schema);
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final void setHoldability(int holdability) throws SQLException {
        change();
        try {
            physical.session.setHoldability(holdability);
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final void setNetworkTimeout(Executor executor, int milliseconds) throws SQLException {
        change();
        try {
            physical.session.setNetworkTimeout(executor, milliseconds);
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    @SuppressWarnings("NullAway") // a driver may return null
    public final Map<String, Class<?>> getTypeMap() throws SQLException {
        change();
        try {
            return physical.session.typeMap();
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final void setTypeMap(Map<String, Class<?>> map) throws SQLException {
        change();
        try {
            physical.session.setTypeMap(map);
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final void setClientInfo(String name, String value) throws SQLClientInfoException {
        try {
            changeOnServer();
        } catch (SQLException e) {
            throw clientInfoFailed(e);
        }
        try {
            physical.session.setClientInfo(name, value);
        } catch (SQLException e) {
            throw clientInfoFailed(e);
        } catch (Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final void setClientInfo(Properties properties) throws SQLClientInfoException {
        try {
            changeOnServer();
        } catch (SQLException e) {
            throw clientInfoFailed(e);
        }
        try {
            physical.session.setClientInfo(properties);
        } catch (SQLException e) {
            throw clientInfoFailed(e);
        } catch (Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    private SQLClientInfoException clientInfoFailed(SQLException e) {
        failed(e);
        return e instanceof SQLClientInfoException info
                ? info
                : new SQLClientInfoException(e.getMessage(), e.getSQLState(), Map.of(), e);
    }

    /** A setting that the server keeps may be sent to it within a transaction. */
    private Connection changeOnServer() throws SQLException {
        Connection raw = change();
        ran();
        return raw;
    }

    @Override
    public final void setShardingKey(ShardingKey key) throws SQLException {
        Connection raw = changeOnServer();
        try {
            raw.setShardingKey(key);
            physical.session.shardingKeyChanged();
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final void setShardingKey(ShardingKey key, ShardingKey superKey) throws SQLException {
        Connection raw = changeOnServer();
        try {
            raw.setShardingKey(key, superKey);
            physical.session.shardingKeyChanged();
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final boolean setShardingKeyIfValid(ShardingKey key, int timeoutSeconds) throws SQLException {
        Connection raw = changeOnServer();
        try {
            boolean done = raw.setShardingKeyIfValid(key, timeoutSeconds);
            if (done) {
                physical.session.shardingKeyChanged();
            }
            return done;
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    @Override
    public final boolean setShardingKeyIfValid(ShardingKey key, ShardingKey superKey, int timeoutSeconds)
            throws SQLException {
        Connection raw = changeOnServer();
        try {
            boolean done = raw.setShardingKeyIfValid(key, superKey, timeoutSeconds);
            if (done) {
                physical.session.shardingKeyChanged();
            }
            return done;
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            end();
        }
    }

    /**
     * Does nothing, because the reservoir tells the driver where requests begin and end, and a caller must not disturb
     * that.
     */
    @Override
    public final void beginRequest() throws SQLException {
        checkOpen();
    }

    @Override
    public final void endRequest() throws SQLException {
        checkOpen();
    }

    @Override
    public final DatabaseMetaData getMetaData() throws SQLException {
        Connection raw = open();
        try {
            return new WrappedDatabaseMetaData(this, raw.getMetaData());
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            leave();
        }
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            checkOpen();
            return type.cast(this);
        }
        Connection raw = expose();
        try {
            return Unwrapping.unwrap(raw, type);
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            leave();
        }
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        Connection raw = open();
        try {
            return Unwrapping.isWrapperFor(this, raw, type);
        } catch (SQLException | Error e) {
            failed(e);
            throw e;
        } finally {
            leave();
        }
    }
}
