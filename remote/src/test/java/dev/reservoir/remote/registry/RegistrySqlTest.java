package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.sys.SysDatabase;
import dev.reservoir.remote.sys.port.SysPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A registry that is configured and watched through SQL, with a real PostgreSQL behind it. */
class RegistrySqlTest {
    @TempDir
    Path folder;

    private final LocalPostgres postgres = PostgresServer.shared();
    private final RemoteConnectionPoolRegistry registry = PostgresServer.registry();
    private Connection sql;
    private Path passwordFile;
    private String role;

    @BeforeEach
    void configure() throws SQLException, IOException {
        role = PostgresServer.role(postgres, "first");
        passwordFile = folder.resolve("password");
        Files.writeString(passwordFile, "first\n");
        Files.setPosixFilePermissions(passwordFile, PosixFilePermissions.fromString("rw-------"));
        sql = DriverManager.getConnection("jdbc:reservoir:sys:" + registry.name(), "ann", "");
        execute("CREATE SERVER pg FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (host '127.0.0.1', port '"
                + postgres.port() + "', dbname '" + LocalPostgres.DATABASE
                + "', ssl_mode 'disable', max_connections '5', min_connections '0', warmup_on_create 'false')");
        execute("CREATE USER MAPPING FOR CURRENT_USER SERVER pg OPTIONS (user '" + role + "', password_file '"
                + passwordFile + "')");
    }

    @AfterEach
    void close() throws SQLException {
        sql.close();
        registry.close(Duration.ZERO);
    }

    @Test
    void statementsMakePoolsAndViewsShowThem() throws SQLException {
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann")) {
            assertThat(connection.isValid(Duration.ofSeconds(2))).isTrue();
            assertThat(rows(
                            "SELECT p.server_name, p.active, c.in_use, c.state, c.remote_user, u.total_acquires, s.healthy,"
                                    + " f.max_connections FROM sys.remote_pool_stats p"
                                    + " JOIN sys.remote_connections c ON c.server_name = p.server_name"
                                    + " JOIN sys.remote_user_pool_stats u ON u.server_name = p.server_name"
                                    + " JOIN sys.remote_server_status s ON s.server_name = p.server_name"
                                    + " JOIN sys.foreign_servers f ON f.server_name = p.server_name"))
                    .containsExactly("pg|1|TRUE|connected|" + role + "|1|TRUE|5");
        }
        List<String> before = rows("SELECT connection_id FROM sys.remote_connections");
        assertThat(before).hasSize(1);
        execute("CALL sys.close_all_connections('pg')");
        Awaitility.await()
                .until(() -> rows("SELECT connection_id FROM sys.remote_connections WHERE connection_id = "
                                + before.get(0))
                        .isEmpty());
        execute("CALL sys.warmup_pool('pg', 3)");
        assertThat(rows("SELECT idle FROM sys.remote_pool_stats")).containsExactly("3");
        assertThatThrownBy(() -> execute("CALL sys.reset_connection('pg', 999999)"))
                .hasMessageContaining("RD012: line 1, column 1: server pg has no connection 999999");
    }

    @Test
    void anAlteredMappingNeverServesOldConnections() throws SQLException {
        registry.acquire("pg", "ann").release();
        String other = PostgresServer.role(postgres, "first");
        execute("ALTER USER MAPPING FOR ann SERVER pg OPTIONS (SET user '" + other + "')");
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann")) {
            assertThat(rows("SELECT remote_user FROM sys.remote_connections WHERE NOT marked_for_eviction"))
                    .containsExactly(other);
            assertThat(connection.isValid(Duration.ofSeconds(2))).isTrue();
        }
        Awaitility.await()
                .untilAsserted(() ->
                        assertThat(PostgresServer.sessions(postgres, role)).isZero());
        execute("DROP USER MAPPING FOR ann SERVER pg");
        assertThatThrownBy(() -> registry.acquire("pg", "ann")).hasMessageStartingWith("RD031");
    }

    @Test
    void methodsOfTheRegistryAndSqlChangeTheSameServers() throws SQLException {
        registry.registerServer(
                PostgresServer.definition("second", postgres.port()).build());
        execute("ALTER SERVER second OPTIONS (max_connections '7')");
        assertThat(registry.serverDefinition("second").pool().maxConnections()).isEqualTo(7);
        registry.setMaxConnections("second", 8);
        assertThat(rows("SELECT max_connections FROM sys.foreign_servers WHERE server_name = 'second'"))
                .containsExactly("8");
        execute("DROP SERVER second");
        assertThat(registry.serverNames()).containsExactly("pg");
        registry.unregisterServer("pg");
        assertThat(rows("SELECT * FROM sys.foreign_servers")).isEmpty();
        assertThat(rows("SELECT * FROM sys.user_mappings")).isEmpty();
    }

    @Test
    void aFileThatOthersCanReadIsRefusedAtTheConnect() throws IOException {
        Files.setPosixFilePermissions(passwordFile, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> registry.acquire("pg", "ann", Duration.ofSeconds(2)))
                .isInstanceOf(RemoteException.class)
                .hasMessageContaining("password_file")
                .hasMessageContaining("mode 0600");
    }

    @Test
    void aPostgresClientSeesTheRegistryThroughThePort() throws SQLException {
        try (SysPort port = SysPort.builder(SysDatabase.of(registry))
                        .login("ann", Secret.literal("for this test"))
                        .start();
                Connection client = DriverManager.getConnection(
                        "jdbc:postgresql://127.0.0.1:" + port.port() + "/sys", "ann", "for this test");
                Statement statement = client.createStatement();
                ResultSet row = statement.executeQuery("SELECT server_name FROM sys.foreign_servers")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).isEqualTo("pg");
        }
    }

    @Test
    void afterTheRegistryIsClosedItsViewsAreClosed() {
        registry.close(Duration.ZERO);
        assertThatThrownBy(() -> execute("CREATE SERVER x FOREIGN DATA WRAPPER postgresql_fdw"))
                .hasMessageContaining("the registry is closed");
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:reservoir:sys:" + registry.name()))
                .isInstanceOf(SQLException.class);
    }

    private void execute(String text) throws SQLException {
        try (Statement statement = sql.createStatement()) {
            statement.execute(text);
        }
    }

    private List<String> rows(String query) throws SQLException {
        try (Statement statement = sql.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            List<String> rows = new ArrayList<>();
            while (result.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    values.add(String.valueOf(result.getString(i)));
                }
                rows.add(String.join("|", values));
            }
            return rows;
        }
    }
}
