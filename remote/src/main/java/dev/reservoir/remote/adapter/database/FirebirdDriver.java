package dev.reservoir.remote.adapter.database;

import dev.reservoir.remote.adapter.Capability;
import dev.reservoir.remote.adapter.DriverInfo;
import dev.reservoir.remote.adapter.ResetResult;
import dev.reservoir.remote.adapter.jdbc.ConnectOptions;
import dev.reservoir.remote.adapter.jdbc.DriverProfile;
import dev.reservoir.remote.adapter.traffic.CountingSocketFactory;
import dev.reservoir.remote.model.AuthType;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.SslMode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Jaybird. Firebird has no TLS but an encryption of its own, which knows no certificates.
 *
 * <p>Firebird 4 can reset a session. Firebird 3 cannot, but a session has little state beyond its transaction: the
 * role, variables, and the rows of global temporary tables that outlive a transaction. So the adapter looks for them,
 * and says REPLACE if there are any.
 */
final class FirebirdDriver implements DriverProfile {
    private static final DriverInfo INFO =
            new DriverInfo("firebird", "org.firebirdsql.jdbc.FBDriver", "org.firebirdsql.jdbc:jaybird");

    /** The first version that can reset a session. */
    private static final int RESETS_SINCE = 4;

    /** Most temporary tables that a reset looks into. With more of them, it says REPLACE at once. */
    private static final int TEMPORARY_TABLES_MAX = 20;

    private static final String VARIABLES =
            "SELECT COUNT(*) FROM MON$CONTEXT_VARIABLES WHERE MON$ATTACHMENT_ID = CURRENT_CONNECTION";

    /** Type 4: the rows stay after a commit. */
    private static final String TEMPORARY_TABLES =
            "SELECT RDB$RELATION_NAME FROM RDB$RELATIONS WHERE RDB$RELATION_TYPE = 4 ORDER BY 1";

    private static final Set<Capability> CAPABILITIES =
            Set.copyOf(EnumSet.of(Capability.SAVEPOINTS, Capability.CANCEL, Capability.CURSORS));

    @Override
    public DriverInfo info() {
        return INFO;
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public Set<Capability> capabilities(Connection connection) {
        EnumSet<Capability> capabilities = EnumSet.copyOf(CAPABILITIES);
        try {
            if (resets(connection)) {
                capabilities.add(Capability.RESET);
            }
        } catch (SQLException e) {
            return CAPABILITIES;
        }
        return capabilities;
    }

    private static boolean resets(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseMajorVersion() >= RESETS_SINCE;
    }

    @Override
    public String url(ConnectOptions options) throws RemoteException {
        String database = options.server().database();
        if (database == null) {
            throw RemoteException.missingOption("dbname", "the path or the alias of the database");
        }
        return "jdbc:firebird:" + Urls.address(options.server()) + "/" + database;
    }

    @Override
    public void configure(ConnectOptions options, Properties properties) throws RemoteException {
        options.refuseLogin(AuthType.KERBEROS, "password");
        options.refuseLogin(AuthType.CERTIFICATE, "password");
        String none = "nothing, because Firebird has no certificates";
        options.refuseIfGiven("ssl_ca_cert", options.server().sslCaCert(), none);
        options.refuseIfGiven("ssl_client_cert", options.clientCertificate(), none);
        options.refuseIfGiven("ssl_client_key", options.clientKey(), none);
        properties.put("wireCrypt", encryption(options));
        properties.put("connectTimeout", options.timeoutSeconds());
        properties.put(socketTimeoutProperty(), options.timeoutMillis());
        properties.put("encoding", "UTF8");
        new PropertyWriter(options, properties).login();
    }

    @Override
    public void countBytes(Properties properties, String ticket) {
        if (properties.putIfAbsent("socketFactory", CountingSocketFactory.ForFirebird.class.getName()) == null) {
            properties.put(CountingSocketFactory.ForFirebird.TICKET, ticket);
        }
    }

    private static String encryption(ConnectOptions options) throws RemoteException {
        SslMode mode = options.sslMode();
        return switch (mode) {
            case DISABLE -> "DISABLED";
            case ALLOW, PREFER -> "ENABLED";
            case REQUIRE -> "REQUIRED";
            case VERIFY_CA, VERIFY_FULL ->
                throw options.refused(
                        "ssl_mode",
                        mode.label(),
                        "disable, allow, prefer, require; Firebird encrypts without certificates");
        };
    }

    @Override
    public String socketTimeoutProperty() {
        return "soTimeout";
    }

    @Override
    public Namespace namespace() {
        return Namespace.NONE;
    }

    /** The driver keeps the isolation level by itself. */
    @Override
    public Set<Setting> restored() {
        return Set.of(Setting.ISOLATION);
    }

    /** The monitoring tables show the role that was chosen last, and not the one of the login. */
    @Override
    public @Nullable String role(Connection connection) throws SQLException {
        return Queries.text(connection, "SELECT CURRENT_ROLE FROM RDB$DATABASE");
    }

    @Override
    public ResetResult reset(Connection connection) throws SQLException {
        if (resets(connection)) {
            Queries.execute(connection, "ALTER SESSION RESET");
            return ResetResult.CLEAN;
        }
        return hasStateLeft(connection) ? ResetResult.REPLACE : ResetResult.CLEAN;
    }

    private static boolean hasStateLeft(Connection connection) throws SQLException {
        if (!"0".equals(Queries.text(connection, VARIABLES))) {
            return true;
        }
        List<String> tables = temporaryTables(connection);
        if (tables.size() > TEMPORARY_TABLES_MAX) {
            return true;
        }
        for (String table : tables) {
            if (mayHaveRows(connection, table)) {
                return true;
            }
        }
        return false;
    }

    private static List<String> temporaryTables(Connection connection) throws SQLException {
        List<String> tables = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(TEMPORARY_TABLES)) {
            while (rows.next() && tables.size() <= TEMPORARY_TABLES_MAX) {
                tables.add(rows.getString(1).stripTrailing());
            }
        }
        return tables;
    }

    /** A user that may not read the table may still have written to it. */
    private static boolean mayHaveRows(Connection connection, String table) {
        try {
            String quoted = '"' + table.replace("\"", "\"\"") + '"';
            return Queries.text(connection, "SELECT FIRST 1 1 FROM " + quoted) != null;
        } catch (SQLException e) {
            return true;
        }
    }

    @Override
    public @Nullable Boolean isEncrypted(Connection connection) {
        return Queries.isTrue(connection, "SELECT RDB$GET_CONTEXT('SYSTEM', 'WIRE_ENCRYPTED') FROM RDB$DATABASE");
    }
}
