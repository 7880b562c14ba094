package dev.reservoir.remote.adapter.database;

import dev.reservoir.remote.adapter.Capability;
import dev.reservoir.remote.adapter.DriverInfo;
import dev.reservoir.remote.adapter.ResetResult;
import dev.reservoir.remote.adapter.TransactionState;
import dev.reservoir.remote.adapter.jdbc.ConnectOptions;
import dev.reservoir.remote.adapter.jdbc.DriverCalls;
import dev.reservoir.remote.adapter.jdbc.DriverProfile;
import dev.reservoir.remote.adapter.traffic.CountingSocketFactory;
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

/** MariaDB's driver, for MariaDB and MySQL. */
final class MariaDbDriver implements DriverProfile {
    private static final DriverInfo INFO =
            new DriverInfo("mariadb", "org.mariadb.jdbc.Driver", "org.mariadb.jdbc:mariadb-java-client");
    private static final String CONNECTION = "org.mariadb.jdbc.Connection";
    private static final Map<SslMode, String> MODES = Map.of(
            SslMode.DISABLE, "disable",
            SslMode.REQUIRE, "trust",
            SslMode.VERIFY_CA, "verify-ca",
            SslMode.VERIFY_FULL, "verify-full");

    /** The bit of the server's status that says that a transaction is open. */
    private static final int IN_TRANSACTION = 1;

    /** Longest wait for the answer to a ping. */
    private static final int PING_SECONDS = 5;

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
        return Urls.plain("jdbc:mariadb:", options.server());
    }

    @Override
    public List<SslMode> attempts(SslMode mode) {
        return Attempts.withOrWithout(mode);
    }

    @Override
    public void configure(ConnectOptions options, Properties properties) throws RemoteException {
        properties.put("connectTimeout", options.timeoutMillis());
        properties.put("socketTimeout", options.timeoutMillis());
        properties.put("useResetConnection", "true");
        PropertyWriter writer = new PropertyWriter(options, properties);
        writer.login();
        properties.put("sslMode", MODES.getOrDefault(options.sslMode(), "verify-full"));
        String authorities = options.server().sslCaCert();
        if (authorities != null) {
            writer.put("serverSslCert", authorities);
            properties.put("fallbackToSystemTrustStore", "false");
        }
        writer.clientKeyStore("keyStore", "keyStoreType", false);
        writer.requireClientCertificate();
        if (options.usesKerberos()) {
            // Otherwise a server could ask for the password instead.
            properties.put("restrictedAuth", "auth_gssapi_client");
            writer.put("servicePrincipalName", options.mapping().kerberosPrincipal());
        }
    }

    /** The driver passes nothing to a socket factory, but it makes its socket on the thread of the connect. */
    @Override
    public void countBytes(Properties properties, String ticket) {
        properties.putIfAbsent("socketFactory", CountingSocketFactory.class.getName());
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
        Object context = DriverCalls.call(connection, CONNECTION, "getContext");
        if (context == null) {
            return null;
        }
        Object status = DriverCalls.call(context, "org.mariadb.jdbc.client.Context", "getServerStatus");
        boolean open = status instanceof Integer bits && (bits & IN_TRANSACTION) != 0;
        return open ? TransactionState.ACTIVE : TransactionState.NONE;
    }

    /** After an error the driver assumes that a transaction is open. The answer to a ping says whether one is. */
    @Override
    public void afterError(Connection connection) throws SQLException {
        if (connection.getAutoCommit()) {
            connection.isValid(PING_SECONDS);
        }
    }

    @Override
    public Set<Setting> restored() {
        return Set.of(Setting.CATALOG, Setting.ISOLATION);
    }

    @Override
    public @Nullable String restoreStatement(Connection connection, Properties properties) throws SQLException {
        String tracked = Queries.text(connection, "SHOW VARIABLES LIKE 'session_track_system_variables'", 2);
        String ofUser = properties.getProperty("sessionVariables");
        return restoreStatement(connection)
                + (tracked == null ? "" : ", session_track_system_variables = '" + tracked + "'")
                + (ofUser == null ? "" : ", " + ofUser);
    }

    /**
     * A reset of MariaDB sets all variables to their global values, also those that a driver set after the login. The
     * drivers do not set all of them again. They go on to send text as UTF-8, which the server then may read in another
     * character set.
     */
    static String restoreStatement(Connection connection) throws SQLException {
        return String.valueOf(Queries.text(connection, """
                SELECT CONVERT(CONCAT_WS(', ',
                    CONCAT('SET character_set_client = ', @@character_set_client),
                    CONCAT('character_set_results = ', COALESCE(@@character_set_results, 'NULL')),
                    CONCAT('collation_connection = ', @@collation_connection),
                    CONCAT('sql_mode = ', QUOTE(@@sql_mode))) USING utf8mb4)"""));
    }

    @Override
    public @Nullable String role(Connection connection) {
        return currentRole(connection);
    }

    /** A reset keeps the role that a user chose. Returns null on a server that knows no roles. */
    static @Nullable String currentRole(Connection connection) {
        try {
            return Queries.text(connection, "SELECT CURRENT_ROLE()");
        } catch (SQLException e) {
            return null;
        }
    }

    @Override
    public ResetResult reset(Connection connection) throws SQLException {
        DriverCalls.call(connection, CONNECTION, "reset");
        return ResetResult.CLEAN;
    }

    @Override
    public @Nullable Boolean isEncrypted(Connection connection) throws SQLException {
        return hasCipher(connection);
    }

    static boolean hasCipher(Connection connection) throws SQLException {
        String cipher = Queries.text(connection, "SHOW SESSION STATUS LIKE 'Ssl_cipher'", 2);
        return cipher != null && !cipher.isEmpty();
    }
}
