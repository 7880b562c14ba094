package dev.reservoir.jdbc.session;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The defaults of a session when it was opened, and what the caller has changed since the checkout.
 *
 * <p>Auto-commit is read at the start, because no driver asks its server for it. Every other default is read just
 * before it is first changed, and kept from then on. So opening costs no round trip, and the server is never asked
 * about a setting that no caller changed. A setter that fails changes nothing, so a value that the server refused is
 * not sent to it again.
 *
 * <p>Never notices what a caller sets by its own statements or by the driver's classes. Never notices a transaction
 * that a caller begins by a statement while auto-commit is on.
 */
public final class SessionState {
    private static final int AUTO_COMMIT = 1;
    private static final int READ_ONLY = 1 << 1;
    private static final int ISOLATION = 1 << 2;
    private static final int CATALOG = 1 << 3;
    private static final int SCHEMA = 1 << 4;
    private static final int HOLDABILITY = 1 << 5;
    private static final int NETWORK_TIMEOUT = 1 << 6;
    private static final int TYPE_MAP = 1 << 7;
    private static final int CLIENT_INFO = 1 << 8;
    private static final int SHARDING_KEY = 1 << 9;

    /** Settings that the server keeps, and may undo when a transaction is rolled back. */
    private static final int ON_THE_SERVER = READ_ONLY | ISOLATION | CATALOG | SCHEMA | CLIENT_INFO;

    private final Connection raw;
    private final boolean autoCommitDefault;

    /** The only isolation level that the server has, which it need not be told. Null if it has several. */
    private final @Nullable Integer onlyIsolation;

    private final ClientInfo clientInfo = new ClientInfo();

    private boolean autoCommit;
    private int changed;
    private int known;

    private boolean readOnlyDefault;
    private int isolationDefault;
    private @Nullable String catalogDefault;
    private @Nullable SchemaReset schemaDefault;
    private int holdabilityDefault;
    private int networkTimeoutMillisDefault;
    private @Nullable Map<String, Class<?>> typeMapDefault;

    public SessionState(Connection raw, @Nullable Integer onlyIsolation) throws SQLException {
        this.raw = raw;
        this.onlyIsolation = onlyIsolation;
        this.autoCommitDefault = raw.getAutoCommit();
        this.autoCommit = autoCommitDefault;
    }

    public boolean isUnchanged() {
        return changed == 0;
    }

    public void setAutoCommit(boolean value) throws SQLException {
        raw.setAutoCommit(value);
        autoCommit = value;
        changed = value == autoCommitDefault ? changed & ~AUTO_COMMIT : changed | AUTO_COMMIT;
    }

    public void setReadOnly(boolean value) throws SQLException {
        boolean before = isKnown(READ_ONLY) ? readOnlyDefault : raw.isReadOnly();
        raw.setReadOnly(value);
        readOnlyDefault = before;
        changed(READ_ONLY, value == before);
    }

    public int isolation() throws SQLException {
        return onlyIsolation == null ? raw.getTransactionIsolation() : onlyIsolation;
    }

    public void setIsolation(int value) throws SQLException {
        if (onlyIsolation != null && onlyIsolation == value) {
            return;
        }
        int before = isKnown(ISOLATION) ? isolationDefault : raw.getTransactionIsolation();
        raw.setTransactionIsolation(value);
        isolationDefault = before;
        changed(ISOLATION, value == before);
    }

    public void setCatalog(@Nullable String value) throws SQLException {
        String before = isKnown(CATALOG) ? catalogDefault : raw.getCatalog();
        raw.setCatalog(value);
        catalogDefault = before;
        changed(CATALOG, before != null && before.equals(value));
    }

    public void setSchema(@Nullable String value) throws SQLException {
        SchemaReset before = schemaDefault == null ? SchemaReset.of(raw) : schemaDefault;
        raw.setSchema(value);
        schemaDefault = before;
        changed(SCHEMA, before.isSetBy(value));
    }

    public void setHoldability(int value) throws SQLException {
        int before = isKnown(HOLDABILITY) ? holdabilityDefault : raw.getHoldability();
        raw.setHoldability(value);
        holdabilityDefault = before;
        changed(HOLDABILITY, value == before);
    }

    public void setNetworkTimeout(Executor executor, int millis) throws SQLException {
        int before = isKnown(NETWORK_TIMEOUT) ? networkTimeoutMillisDefault : raw.getNetworkTimeout();
        raw.setNetworkTimeout(executor, millis);
        networkTimeoutMillisDefault = before;
        changed(NETWORK_TIMEOUT, millis == before);
    }

    public void setTypeMap(Map<String, Class<?>> value) throws SQLException {
        rememberTypeMap();
        raw.setTypeMap(value);
        changed |= TYPE_MAP;
    }

    /** Drivers return the map itself, so a caller that has it may have changed it. */
    @Nullable
    public Map<String, Class<?>> typeMap() throws SQLException {
        Map<String, Class<?>> map = rememberTypeMap();
        changed |= TYPE_MAP;
        return map;
    }

    private @Nullable Map<String, Class<?>> rememberTypeMap() throws SQLException {
        Map<String, Class<?>> map = raw.getTypeMap();
        if (!isKnown(TYPE_MAP)) {
            typeMapDefault = map == null ? null : new HashMap<>(map);
            known |= TYPE_MAP;
        }
        return map;
    }

    public void setClientInfo(String name, @Nullable String value) throws SQLException {
        try {
            clientInfo.set(raw, name, value);
        } finally {
            clientInfoChanged();
        }
    }

    public void setClientInfo(Properties values) throws SQLException {
        try {
            clientInfo.setAll(raw, values);
        } finally {
            clientInfoChanged();
        }
    }

    private void clientInfoChanged() {
        if (!clientInfo.isUnchanged()) {
            changed |= CLIENT_INFO;
        }
    }

    /** JDBC cannot read a sharding key, so it cannot be restored. */
    public void shardingKeyChanged() {
        changed |= SHARDING_KEY;
    }

    /**
     * Rolls back and undoes every change. Blocks for the answers of the server.
     *
     * @param used whether anything was run, which may have left a warning
     * @param inTransaction whether anything was run since the last commit or rollback
     * @param unsure whether the driver must be asked for its state
     */
    public void restore(boolean used, boolean inTransaction, boolean unsure) throws SQLException {
        boolean auto = unsure ? raw.getAutoCommit() : autoCommit;
        if (!auto && (inTransaction || unsure)) {
            raw.rollback();
        }
        if (auto != autoCommitDefault) {
            raw.setAutoCommit(autoCommitDefault);
        }
        autoCommit = autoCommitDefault;
        int bits = changed & ~AUTO_COMMIT;
        if (bits != 0) {
            undo(bits);
        }
        changed = 0;
        if (used || unsure || bits != 0) {
            raw.clearWarnings();
        }
    }

    /** Restores the network timeout last, because the caller set it to end a call that hangs. */
    private void undo(int bits) throws SQLException {
        if (isSet(bits, SHARDING_KEY)) {
            throw new SQLException("the sharding key was changed, and JDBC has no way to restore it", "HY000");
        }
        if (isSet(bits, READ_ONLY)) {
            raw.setReadOnly(readOnlyDefault);
        }
        if (isSet(bits, ISOLATION)) {
            raw.setTransactionIsolation(isolationDefault);
        }
        if (isSet(bits, CATALOG)) {
            raw.setCatalog(catalogDefault);
        }
        if (isSet(bits, SCHEMA) && schemaDefault != null) {
            schemaDefault.restore(raw);
        }
        if (isSet(bits, CLIENT_INFO)) {
            clientInfo.restore(raw);
        }
        if (!autoCommitDefault && (bits & ON_THE_SERVER) != 0) {
            raw.commit();
        }
        if (isSet(bits, HOLDABILITY)) {
            raw.setHoldability(holdabilityDefault);
        }
        if (isSet(bits, TYPE_MAP)) {
            undoTypeMap();
        }
        if (isSet(bits, NETWORK_TIMEOUT)) {
            raw.setNetworkTimeout(Runnable::run, networkTimeoutMillisDefault);
        }
    }

    private void undoTypeMap() throws SQLException {
        Map<String, Class<?>> before = typeMapDefault;
        Map<String, Class<?>> now = raw.getTypeMap();
        if (before == null ? now != null : !before.equals(now)) {
            raw.setTypeMap(before == null ? null : new HashMap<>(before));
        }
    }

    private boolean isKnown(int bit) {
        return isSet(known, bit);
    }

    /**
     * Setting the default again undoes a change only with auto-commit on. Otherwise a rollback may bring back the
     * earlier value.
     */
    private void changed(int bit, boolean isDefault) {
        known |= bit;
        if (!isDefault) {
            changed |= bit;
        } else if (autoCommit) {
            changed &= ~bit;
        }
    }

    private static boolean isSet(int bits, int bit) {
        return (bits & bit) != 0;
    }
}
