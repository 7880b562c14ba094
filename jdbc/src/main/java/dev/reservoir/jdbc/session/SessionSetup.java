package dev.reservoir.jdbc.session;

import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.jdbc.error.ConnectErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings that every new connection gets before a caller gets it. A connection is also reset to them after each
 * use. A null setting stays as the driver opens connections. Blocks for the answers of the server, on the thread that
 * connects.
 *
 * @param connectionInitSql is not shown in messages, because it may hold a secret
 */
public record SessionSetup(
        @Nullable Boolean autoCommit,
        @Nullable Boolean readOnly,
        @Nullable Integer transactionIsolation,
        @Nullable String catalog,
        @Nullable String schema,
        @Nullable String connectionInitSql) {

    /** Changes nothing. */
    static final SessionSetup NONE = new SessionSetup(null, null, null, null, null, null);

    /**
     * Prepares a connection that was just opened, and closes it if that fails. Waits for the server no longer than the
     * timeout, if the driver can bound its waits.
     *
     * @throws SQLException whose message names the setting that failed; for connectionInitSql it leaves out the message
     *     of the driver
     */
    public void apply(Connection raw, Duration timeout) throws SQLException {
        if (equals(NONE)) {
            return;
        }
        try {
            int networkTimeoutMillis = bound(raw, timeout);
            applyEach(raw);
            if (networkTimeoutMillis >= 0) {
                raw.setNetworkTimeout(Runnable::run, networkTimeoutMillis);
            }
        } catch (SQLException | RuntimeException | Error e) {
            try {
                raw.close();
            } catch (SQLException | RuntimeException alsoThis) {
                e.addSuppressed(alsoThis);
            }
            throw e;
        }
    }

    /**
     * Sets auto-commit last. A setting that the server keeps for the session must not be part of a transaction that is
     * rolled back.
     */
    private void applyEach(Connection raw) throws SQLException {
        if (readOnly != null) {
            step("readOnly is " + readOnly, () -> raw.setReadOnly(readOnly));
        }
        if (transactionIsolation != null) {
            step(
                    "transactionIsolation is " + IsolationLevels.format(transactionIsolation),
                    () -> raw.setTransactionIsolation(transactionIsolation));
        }
        if (catalog != null) {
            step("catalog is " + catalog, () -> raw.setCatalog(catalog));
        }
        if (schema != null) {
            step("schema is " + schema, () -> raw.setSchema(schema));
        }
        if (connectionInitSql != null) {
            run(raw, connectionInitSql);
        }
        if (!raw.getAutoCommit()) {
            step("the settings of new connections are to be committed", raw::commit);
        }
        if (autoCommit != null && autoCommit != raw.getAutoCommit()) {
            step("autoCommit is " + autoCommit, () -> raw.setAutoCommit(autoCommit));
        }
        raw.clearWarnings();
    }

    /**
     * Shows neither the message nor the exception of the driver. Some drivers quote the statement, which may hold a
     * secret.
     */
    private static void run(Connection raw, String sql) throws SQLException {
        String failed = "connectionInitSql failed on a new connection: ";
        try (Statement statement = raw.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            String text = failed + "SQLState " + e.getSQLState() + ", vendor code " + e.getErrorCode();
            throw ConnectErrors.reason(e) == OpenFailureReason.CONNECT_TIMEOUT
                    ? new SQLTimeoutException(text, e.getSQLState(), e.getErrorCode())
                    : new SQLException(text, e.getSQLState(), e.getErrorCode());
        } catch (RuntimeException e) {
            throw new SQLException(failed + "the driver threw " + e.getClass().getName());
        }
    }

    private static void step(String setting, Step step) throws SQLException {
        try {
            step.run();
        } catch (SQLException e) {
            throw new SQLException(
                    setting + ", which a new connection refused: " + e.getMessage(),
                    e.getSQLState(),
                    e.getErrorCode(),
                    e);
        }
    }

    /**
     * Sets the network timeout. Returns the value to restore afterwards, or -1 if it was left alone. That is so if it
     * is shorter already, or if the driver does not support it.
     */
    private static int bound(Connection raw, Duration timeout) {
        try {
            int before = raw.getNetworkTimeout();
            int wanted = (int) Math.min(Integer.MAX_VALUE, Math.max(1, timeout.toMillis()));
            if (before > 0 && before <= wanted) {
                return -1;
            }
            raw.setNetworkTimeout(Runnable::run, wanted);
            return before;
        } catch (SQLException | RuntimeException | AbstractMethodError notSupported) {
            return -1;
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws SQLException;
    }
}
