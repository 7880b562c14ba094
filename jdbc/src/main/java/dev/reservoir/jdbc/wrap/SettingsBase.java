package dev.reservoir.jdbc.wrap;

import dev.reservoir.jdbc.session.SessionState;
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
            throw failed(e);
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
            throw failed(e);
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
            throw failed(e);
        } finally {
            end();
        }
    }

    @Override
    public final void setReadOnly(boolean readOnly) throws SQLException {
        change(session -> session.setReadOnly(readOnly));
    }

    @Override
    public final int getTransactionIsolation() throws SQLException {
        run();
        return ending(physical.session::isolation);
    }

    @Override
    public final void setTransactionIsolation(int level) throws SQLException {
        changeOnServer(session -> session.setIsolation(level));
    }

    @Override
    public final void setCatalog(String catalog) throws SQLException {
        changeOnServer(session -> session.setCatalog(catalog));
    }

    @Override
    public final void setSchema(String schema) throws SQLException {
        changeOnServer(session -> session.setSchema(schema));
    }

    @Override
    public final void setHoldability(int holdability) throws SQLException {
        change(session -> session.setHoldability(holdability));
    }

    @Override
    public final void setNetworkTimeout(Executor executor, int milliseconds) throws SQLException {
        change(session -> session.setNetworkTimeout(executor, milliseconds));
    }

    @Override
    @SuppressWarnings("NullAway") // a driver may return null
    public final Map<String, Class<?>> getTypeMap() throws SQLException {
        change();
        return ending(physical.session::typeMap);
    }

    @Override
    public final void setTypeMap(Map<String, Class<?>> map) throws SQLException {
        change(session -> session.setTypeMap(map));
    }

    @Override
    public final void setClientInfo(String name, String value) throws SQLClientInfoException {
        changeClientInfo(session -> session.setClientInfo(name, value));
    }

    @Override
    public final void setClientInfo(Properties properties) throws SQLClientInfoException {
        changeClientInfo(session -> session.setClientInfo(properties));
    }

    private void changeClientInfo(Change change) throws SQLClientInfoException {
        try {
            changeOnServer(change);
        } catch (SQLException e) {
            throw e instanceof SQLClientInfoException info
                    ? info
                    : new SQLClientInfoException(e.getMessage(), e.getSQLState(), Map.of(), e);
        }
    }

    @Override
    public final void setShardingKey(ShardingKey key) throws SQLException {
        changeOnServer(session -> {
            physical.raw.setShardingKey(key);
            session.shardingKeyChanged();
        });
    }

    @Override
    public final void setShardingKey(ShardingKey key, ShardingKey superKey) throws SQLException {
        changeOnServer(session -> {
            physical.raw.setShardingKey(key, superKey);
            session.shardingKeyChanged();
        });
    }

    @Override
    public final boolean setShardingKeyIfValid(ShardingKey key, int timeoutSeconds) throws SQLException {
        Connection raw = changeOnServer();
        return changeShardingKey(() -> raw.setShardingKeyIfValid(key, timeoutSeconds));
    }

    @Override
    public final boolean setShardingKeyIfValid(ShardingKey key, ShardingKey superKey, int timeoutSeconds)
            throws SQLException {
        Connection raw = changeOnServer();
        return changeShardingKey(() -> raw.setShardingKeyIfValid(key, superKey, timeoutSeconds));
    }

    private boolean changeShardingKey(Call<Boolean> change) throws SQLException {
        return ending(() -> {
            boolean done = change.run();
            if (done) {
                physical.session.shardingKeyChanged();
            }
            return done;
        });
    }

    /** A change of a setting that is undone after the checkout. */
    @FunctionalInterface
    private interface Change {
        void apply(SessionState session) throws SQLException;
    }

    /** Changes a setting that only the driver keeps. */
    private void change(Change change) throws SQLException {
        change();
        apply(change);
    }

    /** Changes a setting that the server keeps, so that it may be sent within a transaction. */
    private void changeOnServer(Change change) throws SQLException {
        changeOnServer();
        apply(change);
    }

    private void apply(Change change) throws SQLException {
        ending(() -> {
            change.apply(physical.session);
            return true;
        });
    }

    private Connection changeOnServer() throws SQLException {
        Connection raw = change();
        ran();
        return raw;
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
        return leaving(() -> new WrappedDatabaseMetaData(this, raw.getMetaData()));
    }

    @Override
    public final <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            checkOpen();
            return type.cast(this);
        }
        Connection raw = expose();
        return leaving(() -> Unwrapping.unwrap(raw, type));
    }

    @Override
    public final boolean isWrapperFor(Class<?> type) throws SQLException {
        Connection raw = open();
        return leaving(() -> Unwrapping.isWrapperFor(this, raw, type));
    }
}
