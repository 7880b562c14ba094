package dev.reservoir.remote.adapter.database;

import dev.reservoir.remote.adapter.Capability;
import dev.reservoir.remote.adapter.DriverInfo;
import dev.reservoir.remote.adapter.ResetResult;
import dev.reservoir.remote.adapter.jdbc.ConnectOptions;
import dev.reservoir.remote.adapter.jdbc.DriverProfile;
import dev.reservoir.remote.model.AuthType;
import dev.reservoir.remote.model.RemoteException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Properties;
import java.util.Set;

/**
 * ScratchBird's driver. Its properties have the names of pgjdbc's. The adapter uses what JDBC offers. JDBC has no
 * reset, so it tries the statement of PostgreSQL. If the server does not know it, the connection is replaced.
 */
final class ScratchBirdDriver implements DriverProfile {
    private static final DriverInfo INFO = new DriverInfo(
            "scratchbird",
            "com.scratchbird.jdbc.SBDriver",
            "ScratchBird's own JDBC driver, which is in no Maven repository (scratchbird-jdbc.jar)");

    private static final Set<Capability> CAPABILITIES = Set.copyOf(EnumSet.of(
            Capability.SAVEPOINTS,
            Capability.CANCEL,
            Capability.CURSORS,
            Capability.SCHEMAS,
            Capability.TLS,
            Capability.CLIENT_CERTIFICATE));

    @Override
    public DriverInfo info() {
        return INFO;
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    @Override
    public String url(ConnectOptions options) {
        return Urls.plain("jdbc:scratchbird:", options.server());
    }

    @Override
    public void configure(ConnectOptions options, Properties properties) throws RemoteException {
        options.refuseLogin(AuthType.KERBEROS, "password, certificate");
        PropertyWriter writer = new PropertyWriter(options, properties);
        writer.login();
        properties.put("connectTimeout", options.timeoutSeconds());
        properties.put("socketTimeout", options.timeoutSeconds());
        properties.put("sslmode", options.sslMode().label());
        writer.put("sslrootcert", options.server().sslCaCert());
        writer.put("sslcert", options.clientCertificate());
        writer.put("sslkey", options.clientKey());
        writer.requireClientCertificate();
    }

    @Override
    public Set<Setting> restored() {
        return EnumSet.allOf(Setting.class);
    }

    @Override
    public ResetResult reset(Connection connection) throws SQLException {
        try {
            Queries.execute(connection, "DISCARD ALL");
            return ResetResult.CLEAN;
        } catch (SQLException e) {
            if (PostgresAdapter.ERRORS.classify(e).fatal()) {
                throw e;
            }
            return ResetResult.REPLACE;
        }
    }
}
