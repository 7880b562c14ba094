package dev.reservoir.remote.registry;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.model.HealthCheckConfig;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.SslMode;
import dev.reservoir.remote.model.UserMapping;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** A real PostgreSQL for the tests of the registry, with roles that tests create. Stops with the JVM. */
final class PostgresServer {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static LocalPostgres shared;

    private PostgresServer() {}

    static synchronized LocalPostgres shared() {
        if (shared == null) {
            shared = LocalPostgres.builder().setting("max_connections", "100").start();
        }
        return shared;
    }

    static RemoteConnectionPoolRegistry registry() {
        return RemoteConnectionPoolRegistry.create("test-" + NUMBERS.incrementAndGet());
    }

    /** A role of its own for each test. */
    static String role(LocalPostgres server, String password) {
        String role = "role_" + NUMBERS.incrementAndGet();
        execute(server, "CREATE ROLE " + role + " LOGIN PASSWORD '" + password + "'");
        return role;
    }

    static void execute(LocalPostgres server, String sql) {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static int sessions(LocalPostgres server, String role) {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*) FROM pg_stat_activity WHERE usename = '" + role + "'")) {
            row.next();
            return row.getInt(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static ServerDefinition.Builder definition(String name, int port) {
        return ServerDefinition.builder(name, RemoteDatabaseType.POSTGRESQL)
                .host("127.0.0.1")
                .port(port)
                .database(LocalPostgres.DATABASE)
                .sslMode(SslMode.DISABLE);
    }

    static PoolConfiguration.Builder pool(int min, int max) {
        return PoolConfiguration.builder().minConnections(min).maxConnections(max);
    }

    static HealthCheckConfig.Builder health() {
        return HealthCheckConfig.builder();
    }

    static UserMapping mapping(String server, String localUser, String role, String password) throws RemoteException {
        return UserMapping.builder(server, localUser)
                .remoteUser(role)
                .remotePassword(Secret.literal(password))
                .build();
    }
}
