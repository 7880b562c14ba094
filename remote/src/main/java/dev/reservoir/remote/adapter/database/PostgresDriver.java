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
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** pgjdbc. It has a property for every option, with the same names for the modes of TLS. */
final class PostgresDriver implements DriverProfile {
    private static final String BASE_CONNECTION = "org.postgresql.core.BaseConnection";
    private static final DriverInfo INFO =
            new DriverInfo("postgresql", "org.postgresql.Driver", "org.postgresql:postgresql");

    @Override
    public DriverInfo info() {
        return INFO;
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.values());
    }

    @Override
    public String url(ConnectOptions options) {
        return Urls.plain("jdbc:postgresql:", options.server());
    }

    @Override
    public void configure(ConnectOptions options, Properties properties) throws RemoteException {
        properties.put("connectTimeout", options.timeoutSeconds());
        properties.put("socketTimeout", options.timeoutSeconds());
        properties.put("tcpKeepAlive", "true");
        // The driver then sends its settings with the login, so that a reset returns to them. Otherwise it sets them by
        // a statement after the login, and a reset loses the application's name.
        properties.put("assumeMinServerVersion", "9.0");
        PropertyWriter writer = new PropertyWriter(options, properties);
        writer.login();
        properties.put("sslmode", options.sslMode().label());
        writer.put("sslrootcert", options.server().sslCaCert());
        writer.put("sslcert", options.clientCertificate());
        writer.put("sslkey", options.clientKey());
        writer.requireClientCertificate();
        if (options.usesKerberos()) {
            // Otherwise a server could ask for the password instead.
            properties.put("requireAuth", "gss");
            String principal = options.mapping().kerberosPrincipal();
            // The driver adds the host by itself.
            writer.put(
                    "kerberosServerName", principal == null ? null : principal.split("[/@]", 2)[0]);
        }
    }

    @Override
    public void countBytes(Properties properties, String ticket) {
        if (properties.putIfAbsent("socketFactory", CountingSocketFactory.class.getName()) == null) {
            properties.put("socketFactoryArg", ticket);
        }
    }

    @Override
    public @Nullable TransactionState transactionState(Connection connection) throws SQLException {
        Object state = DriverCalls.call(connection, BASE_CONNECTION, "getTransactionState");
        return switch (String.valueOf(state)) {
            case "IDLE" -> TransactionState.NONE;
            case "FAILED" -> TransactionState.ABORTED;
            default -> TransactionState.ACTIVE;
        };
    }

    @Override
    public ResetResult reset(Connection connection) throws SQLException {
        Queries.execute(connection, "DISCARD ALL");
        return ResetResult.CLEAN;
    }

    @Override
    public @Nullable Boolean isEncrypted(Connection connection) {
        return Queries.isTrue(connection, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    }
}
