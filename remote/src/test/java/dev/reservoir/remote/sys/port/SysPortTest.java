package dev.reservoir.remote.sys.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.sys.SampleRegistry;
import dev.reservoir.remote.sys.SysDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;

/** The views through PostgreSQL's protocol, with PostgreSQL's own JDBC driver and psql. */
class SysPortTest {
    private static final String PASSWORD = "only for this test";

    private final SampleRegistry registry = new SampleRegistry();
    private SysDatabase database;
    private SysPort port;

    @BeforeEach
    void start() throws RemoteException {
        database = registry.open("port-test");
        port = SysPort.builder(database).login("ann", Secret.literal(PASSWORD)).start();
    }

    @AfterEach
    void stop() {
        port.close();
        database.close();
    }

    @Test
    void itListensOnTheLoopbackAddressAndWantsThePassword() {
        assertThat(port.address().getAddress().isLoopbackAddress()).isTrue();
        assertThatThrownBy(() -> connect("wrong", "")).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> SysPort.builder(database).start()).hasMessageContaining("nobody could log in");
    }

    @Test
    void thePostgresDriverReadsTheViews() throws SQLException {
        for (String mode : List.of("", "preferQueryMode=simple", "binaryTransfer=true&prepareThreshold=-1")) {
            try (Connection connection = connect(PASSWORD, mode);
                    PreparedStatement query = connection.prepareStatement(
                            "SELECT server_name, healthy, total_conns, acquires, avg_query_time_ms, created_at, last_activity"
                                    + " FROM sys.remote_pool_stats WHERE db_type = ? AND total_conns > ?")) {
                query.setString(1, "postgresql");
                query.setInt(2, 7);
                try (ResultSet row = query.executeQuery()) {
                    assertThat(row.next()).as(mode).isTrue();
                    assertThat(row.getString("server_name")).isEqualTo("legacy_pg");
                    assertThat(row.getBoolean("healthy")).isTrue();
                    assertThat(row.getInt("total_conns")).isEqualTo(8);
                    assertThat(row.getLong("acquires")).isEqualTo(15_234);
                    assertThat(row.getDouble("avg_query_time_ms")).isEqualTo(10.25);
                    assertThat(row.getObject("created_at", OffsetDateTime.class))
                            .isEqualTo(SampleRegistry.CREATED.atOffset(ZoneOffset.UTC));
                    assertThat(row.getObject("last_activity")).isNull();
                    assertThat(row.next()).isFalse();
                }
            }
        }
    }

    @Test
    void aCursorReadsAResultInParts() throws SQLException {
        registry.connections = SampleRegistry.connections(2_500);
        try (Connection connection = connect(PASSWORD, "")) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(100);
                try (ResultSet rows = statement.executeQuery(
                        "SELECT connection_id FROM sys.remote_connections ORDER BY connection_id")) {
                    long count = 0;
                    while (rows.next()) {
                        assertThat(rows.getLong(1)).isEqualTo(count++);
                    }
                    assertThat(count).isEqualTo(2_500);
                }
            }
            connection.commit();
        }
    }

    @Test
    void statementsAndCallsWork() throws SQLException {
        try (Connection connection = connect(PASSWORD, "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw OPTIONS (host 'h')");
            statement.execute("CREATE USER MAPPING FOR CURRENT_USER SERVER s; CALL sys.warmup_pool('s', 2)");
            assertThat(registry.catalog.mapping("s", "ann").remoteUser()).isEqualTo("ann");
            assertThat(registry.calls).containsExactly("warmup s 2");
            assertThatThrownBy(() ->
                            statement.execute("CREATE SERVER t FOREIGN DATA WRAPPER mysql_fdw OPTIONS (hots 'h')"))
                    .isInstanceOfSatisfying(PSQLException.class, error -> {
                        assertThat(error.getServerErrorMessage().getPosition()).isEqualTo(57);
                        assertThat(error.getSQLState()).isEqualTo("22023");
                        assertThat(error.getMessage()).contains("nearest: host");
                    });
            assertThatThrownBy(() -> statement.execute("SELECT * FROM sys.nothing"))
                    .hasMessageContaining("Table \"nothing\" not found")
                    .extracting(error -> ((SQLException) error).getSQLState())
                    .isEqualTo("42P01");
            assertThatThrownBy(() -> statement.execute("DELETE FROM sys.remote_pool_stats"))
                    .hasMessageContaining("expected: SELECT");
        }
    }

    @Test
    void aStatementThatCannotBeRolledBackIsRefusedInATransaction() throws SQLException {
        try (Connection connection = connect(PASSWORD, "");
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertThat(statement.executeQuery("SELECT 1").next()).isTrue();
            assertThatThrownBy(() -> statement.execute("CREATE SERVER s FOREIGN DATA WRAPPER mysql_fdw"))
                    .hasMessageContaining("cannot run inside a transaction block");
            assertThatThrownBy(() -> statement.executeQuery("SELECT 1")).hasMessageContaining("is aborted");
            connection.rollback();
            assertThat(statement.executeQuery("SELECT 2").next()).isTrue();
            assertThat(registry.catalog.servers()).isEmpty();
        }
    }

    @Test
    void aQueryCanBeCancelled() throws SQLException {
        try (Connection connection = connect(PASSWORD, "");
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            assertThatThrownBy(() -> statement.executeQuery(
                            "SELECT count(*) FROM system_range(1, 1000000) a, system_range(1, 1000000) b"))
                    .isInstanceOf(SQLException.class)
                    .extracting(error -> ((SQLException) error).getSQLState())
                    .isEqualTo("57014");
            statement.setQueryTimeout(0);
            assertThat(statement.executeQuery("SELECT 1").next()).isTrue();
        }
    }

    @Test
    void psqlShowsTheViews() throws IOException, InterruptedException {
        assumeTrue(hasPsql(), "psql is not installed");
        assertThat(psql("SELECT server_name, total_conns, healthy FROM sys.remote_pool_stats ORDER BY 1"))
                .isEqualTo("legacy_pg|8|t\nprod_mysql|4|t\n");
        assertThat(psql("CREATE SERVER s FOREIGN DATA WRAPPER firebird_fdw; SELECT wrapper FROM sys.foreign_servers"))
                .contains("CREATE SERVER", "firebird_fdw");
        assertThat(psql("SELEC 1")).contains("ERROR:").contains("found \"SELEC\"");
        assertThat(psql("CREATE USER MAPPING FOR x SERVER s OPTIONS (user 'a', pasword '$A')"))
                .contains("nearest: password");
    }

    @Test
    void psqlListsTheViewsAndTheirColumns() throws IOException, InterruptedException {
        assumeTrue(hasPsql(), "psql is not installed");
        String views = """
                sys|foreign_server_options|view|reservoir
                sys|foreign_servers|view|reservoir
                sys|remote_connections|view|reservoir
                sys|remote_pool_stats|view|reservoir
                sys|remote_server_status|view|reservoir
                sys|remote_user_pool_stats|view|reservoir
                sys|user_mappings|view|reservoir
                """;
        assertThat(psql("\\d")).isEqualTo(views);
        assertThat(psql("\\dv")).isEqualTo(views);
        assertThat(psql("\\dv sys.user*")).isEqualTo("sys|user_mappings|view|reservoir\n");
        assertThat(psql("\\dt")).contains("Did not find any relations");
        assertThat(psql("\\dn")).isEqualTo("sys|reservoir\n");
        assertThat(psql("\\l")).isEqualTo("sys|reservoir|UTF8|C.UTF-8|C.UTF-8||libc|\n");
        assertThat(psql("\\d sys.remote_pool_stats"))
                .startsWith("server_name|character varying|||\ndb_type|character varying|||\nhealthy|boolean|||\n")
                .contains("\ntotal_conns|integer|||\n", "\nacquires|bigint|||\n")
                .contains("\navg_query_time_ms|double precision|||\n", "\ncreated_at|timestamp with time zone|||\n");
        assertThat(psql("\\d remote_connections")).contains("\nlast_validated|timestamp with time zone|||\n");
        assertThat(psql("\\d sys.nothing")).contains("Did not find any relation named");
    }

    private Connection connect(String password, String parameters) throws SQLException {
        Properties login = new Properties();
        login.setProperty("user", "ann");
        login.setProperty("password", password);
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port.port() + "/sys?" + parameters, login);
    }

    private static boolean hasPsql() throws InterruptedException {
        try {
            return new ProcessBuilder("psql", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private String psql(String command) throws IOException, InterruptedException {
        List<String> call =
                new ArrayList<>(List.of("psql", "-X", "-A", "-t", "-h", "127.0.0.1", "-U", "ann", "-d", "sys"));
        call.addAll(List.of("-p", Integer.toString(port.port()), "-c", command));
        ProcessBuilder builder = new ProcessBuilder(call).redirectErrorStream(true);
        builder.environment().put("PGPASSWORD", PASSWORD);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
