package dev.reservoir.remote.adapter.database;

import dev.reservoir.remote.adapter.Capability;
import dev.reservoir.remote.adapter.DriverInfo;
import dev.reservoir.remote.adapter.ResetResult;
import dev.reservoir.remote.adapter.TransactionState;
import dev.reservoir.remote.adapter.jdbc.ConnectOptions;
import dev.reservoir.remote.adapter.jdbc.DriverCalls;
import dev.reservoir.remote.adapter.jdbc.DriverProfile;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.SslMode;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** MySQL Connector/J. */
final class ConnectorJDriver implements DriverProfile {
    private static final DriverInfo INFO =
            new DriverInfo("mysql", "com.mysql.cj.jdbc.Driver", "com.mysql:mysql-connector-j");
    private static final String JDBC_CONNECTION = "com.mysql.cj.jdbc.JdbcConnection";
    private static final Map<SslMode, String> MODES = Map.of(
            SslMode.DISABLE, "DISABLED",
            SslMode.PREFER, "PREFERRED",
            SslMode.REQUIRE, "REQUIRED",
            SslMode.VERIFY_CA, "VERIFY_CA",
            SslMode.VERIFY_FULL, "VERIFY_IDENTITY");

    @Override
    public DriverInfo info() {
        return INFO;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public String url(ConnectOptions options) {
        return Urls.plain("jdbc:mysql:", options.server());
    }

    /** The driver knows no {@code allow}. TLS wherever the server offers it is at least as much. */
    @Override
    public List<SslMode> attempts(SslMode mode) {
        return List.of(mode == SslMode.ALLOW ? SslMode.PREFER : mode);
    }

    @Override
    public void configure(ConnectOptions options, Properties properties) throws RemoteException {
        properties.put("connectTimeout", options.timeoutMillis());
        properties.put("socketTimeout", options.timeoutMillis());
        // A statement with a fetch size gets a cursor on the server. Others are not affected.
        properties.put("useCursorFetch", "true");
        PropertyWriter writer = new PropertyWriter(options, properties);
        writer.login();
        properties.put("sslMode", MODES.getOrDefault(options.sslMode(), "PREFERRED"));
        String authorities = options.server().sslCaCert();
        if (authorities != null) {
            TrustStore store = TrustStore.of(authorities, options);
            properties.put("trustCertificateKeyStoreUrl", store.file().toUri().toString());
            properties.put("trustCertificateKeyStoreType", store.type());
            writer.put("trustCertificateKeyStorePassword", store.password());
            // No other authority may vouch for the server.
            properties.put("fallbackToSystemTrustStore", "false");
        }
        writer.clientKeyStore("clientCertificateKeyStoreUrl", "clientCertificateKeyStoreType", true);
        writer.requireClientCertificate();
        if (options.usesKerberos()) {
            options.refuseIfGiven(
                    "kerberos_principal",
                    options.mapping().kerberosPrincipal(),
                    "nothing, because the server names its principal");
            properties.put("defaultAuthenticationPlugin", "authentication_kerberos_client");
        }
    }

    @Override
    public Namespace namespace() {
        return Namespace.CATALOG;
    }

    @Override
    public boolean cursorNeedsTransaction() {
        return false;
    }

    @Override
    public @Nullable TransactionState transactionState(Connection connection) throws SQLException {
        Object session = DriverCalls.call(connection, "com.mysql.cj.MysqlConnection", "getSession");
        if (session == null) {
            return null;
        }
        Object server = DriverCalls.call(session, "com.mysql.cj.Session", "getServerSession");
        if (server == null) {
            return null;
        }
        Object open = DriverCalls.call(server, "com.mysql.cj.protocol.ServerSession", "inTransactionOnServer");
        return Boolean.TRUE.equals(open) ? TransactionState.ACTIVE : TransactionState.NONE;
    }

    @Override
    public Set<Setting> restored() {
        return Set.of(Setting.CATALOG);
    }

    /** The driver restores the rest by itself. */
    @Override
    public @Nullable String restoreStatement(Connection connection, Properties properties) throws SQLException {
        return MariaDbDriver.restoreStatement(connection);
    }

    @Override
    public @Nullable String role(Connection connection) {
        return MariaDbDriver.currentRole(connection);
    }

    @Override
    public ResetResult reset(Connection connection) throws SQLException {
        DriverCalls.call(connection, JDBC_CONNECTION, "resetServerState");
        // A reset keeps the database that a user chose by a statement, and the driver does not know about it.
        String database = connection.getCatalog();
        if (database != null && !database.isEmpty()) {
            connection.setCatalog(database);
            return ResetResult.CLEAN;
        }
        // No statement returns to no database.
        return Queries.text(connection, "SELECT DATABASE()") == null ? ResetResult.CLEAN : ResetResult.REPLACE;
    }

    @Override
    public @Nullable Boolean isEncrypted(Connection connection) throws SQLException {
        return MariaDbDriver.hasCipher(connection);
    }
}
