package dev.reservoir.remote.adapter.database;

import dev.reservoir.remote.adapter.Capability;
import dev.reservoir.remote.adapter.DriverInfo;
import dev.reservoir.remote.adapter.ResetResult;
import dev.reservoir.remote.adapter.jdbc.ConnectOptions;
import dev.reservoir.remote.adapter.jdbc.DriverProfile;
import dev.reservoir.remote.adapter.traffic.CountingSocketFactory;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.SslMode;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Microsoft's driver for SQL Server. The server resets a session when the driver sets a bit in its next request. The
 * driver does so for a connection that comes from its {@code ConnectionPoolDataSource}, so that is where connections
 * come from.
 */
final class SqlServerDriver implements DriverProfile {
    private static final DriverInfo INFO = new DriverInfo(
            "mssql", "com.microsoft.sqlserver.jdbc.SQLServerDriver", "com.microsoft.sqlserver:mssql-jdbc");

    @Override
    public DriverInfo info() {
        return INFO;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    /** The address is among the properties, because an address of version 6 is not allowed in the URL. */
    @Override
    public String url(ConnectOptions options) {
        return "jdbc:sqlserver://";
    }

    @Override
    public List<SslMode> attempts(SslMode mode) {
        return Attempts.withOrWithout(mode);
    }

    @Override
    public void configure(ConnectOptions options, Properties properties) throws RemoteException {
        PropertyWriter writer = new PropertyWriter(options, properties);
        properties.put("serverName", options.server().host());
        properties.put("portNumber", Integer.toString(options.server().port()));
        writer.put("databaseName", options.server().database());
        properties.put("loginTimeout", options.timeoutSeconds());
        properties.put("socketTimeout", options.timeoutMillis());
        // The driver would replace a broken connection by itself, and the new one has lost the session's state.
        properties.put("connectRetryCount", "0");
        writer.login();
        encryption(options, properties);
        writer.put("clientCertificate", options.clientCertificate());
        writer.put("clientKey", options.clientKey());
        writer.requireClientCertificate();
        if (options.usesKerberos()) {
            properties.put("integratedSecurity", "true");
            properties.put("authenticationScheme", "JavaKerberos");
            writer.put("serverSpn", options.mapping().kerberosPrincipal());
        }
    }

    private static void encryption(ConnectOptions options, Properties properties) throws RemoteException {
        SslMode mode = options.sslMode();
        if (mode == SslMode.VERIFY_CA) {
            throw options.refused(
                    "ssl_mode",
                    mode.label(),
                    "disable, allow, prefer, require, verify-full; the driver always checks the host name too");
        }
        properties.put("encrypt", mode.isRequired() ? "true" : "false");
        properties.put("trustServerCertificate", mode.isVerified() ? "false" : "true");
        String authorities = options.server().sslCaCert();
        if (authorities != null && mode.isVerified()) {
            TrustStore store = TrustStore.of(authorities, options);
            properties.put("trustStore", store.file().toString());
            properties.put("trustStoreType", store.type());
            if (store.password() != null) {
                properties.put("trustStorePassword", store.password());
            }
        }
    }

    @Override
    public void countBytes(Properties properties, String ticket) {
        if (properties.putIfAbsent("socketFactoryClass", CountingSocketFactory.class.getName()) == null) {
            properties.put("socketFactoryConstructorArg", ticket);
        }
    }

    /** The data source takes no properties, so all but the login go into the URL. */
    @Override
    public Connection open(Driver driver, String url, Properties properties) throws SQLException {
        Map<String, String> sorted = new TreeMap<>();
        for (String key : properties.stringPropertyNames()) {
            sorted.put(key, properties.getProperty(key));
        }
        String user = sorted.remove("user");
        String password = sorted.remove("password");
        StringBuilder full = new StringBuilder(url);
        sorted.forEach((key, value) -> full.append(';')
                .append(key)
                .append("={")
                .append(value.replace("}", "}}"))
                .append('}'));
        return SqlServerConnection.open(driver, full.toString(), user, password);
    }

    @Override
    public boolean cursorNeedsTransaction() {
        return false;
    }

    @Override
    public @Nullable String leftoverRollback() {
        return "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION";
    }

    /** The bit leaves the isolation level as it is. The statement that restores it carries the bit to the server. */
    @Override
    public ResetResult reset(Connection connection) throws SQLException {
        SqlServerConnection.renew(connection);
        Queries.execute(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        return ResetResult.CLEAN;
    }

    @Override
    public @Nullable Boolean isEncrypted(Connection connection) {
        return Queries.isTrue(
                connection, "SELECT encrypt_option FROM sys.dm_exec_connections WHERE session_id = @@SPID");
    }
}
