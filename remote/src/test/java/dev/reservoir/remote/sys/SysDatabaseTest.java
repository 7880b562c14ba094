package dev.reservoir.remote.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.remote.model.RemoteDatabaseType;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The views in process, through {@code jdbc:reservoir:sys:<registry>}. */
class SysDatabaseTest {
    private static final String URL = "jdbc:reservoir:sys:sample";

    private final SampleRegistry registry = new SampleRegistry();
    private SysDatabase database;
    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        database = registry.open("sample");
        connection = DriverManager.getConnection(URL, "ann", "");
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        database.close();
    }

    @Test
    void thePoolsHaveTheColumnsOfTheSpecification() throws SQLException {
        assertThat(rows("SELECT server_name, db_type, healthy, total_conns, active, idle, waiting, acquires, timeouts"
                        + " FROM sys.remote_pool_stats ORDER BY server_name"))
                .containsExactly("legacy_pg|postgresql|TRUE|8|5|3|0|15234|2", "prod_mysql|mysql|TRUE|4|2|2|0|15234|2");
        assertThat(rows("SELECT unhealthy_reason, total_user_pools, total_releases, connection_errors,"
                        + " queries_executed, avg_acquire_time_ms, avg_query_time_ms, created_at, last_activity"
                        + " FROM sys.remote_pool_stats WHERE server_name = 'legacy_pg'"))
                .containsExactly("null|1|15230|5|45678|1.5|10.25|2026-11-01 10:00:00.123456+00|null");
        assertThat(rows("SELECT local_user, total_connections, active_connections, idle_connections,"
                        + " waiting_requests, total_acquires, total_releases, connections_created,"
                        + " connections_destroyed, acquire_timeouts, validation_failures,"
                        + " avg_connection_lifetime_sec, avg_acquire_wait_ms"
                        + " FROM sys.remote_user_pool_stats WHERE server_name = 'legacy_pg'"))
                .containsExactly("ann|8|5|3|0|15234|15230|10|2|2|0|60.5|1.5");
        assertThat(rows("SELECT state, created_at, last_used, last_validated, use_count, query_count,"
                        + " marked_for_eviction FROM sys.remote_connections WHERE connection_id = 3"))
                .containsExactly(
                        "executing|2026-11-01 10:00:00.123456+00|null|2026-11-01 10:00:00.123456+00|3|6|FALSE");
    }

    @Test
    void viewsCanBeJoinedCountedAndOrdered() throws SQLException {
        assertThat(rows("""
                        SELECT p.server_name, c.state, count(*) AS n, p.active
                        FROM sys.remote_pool_stats p JOIN sys.remote_connections c ON c.server_name = p.server_name
                        GROUP BY p.server_name, c.state, p.active HAVING count(*) > 1 ORDER BY n DESC
                        """)).containsExactly("legacy_pg|executing|5|5", "legacy_pg|connected|3|5");
        assertThat(
                        rows(
                                "SELECT server_name FROM sys.remote_server_status s WHERE NOT healthy AND reason LIKE 'it''s%'"))
                .containsExactly("legacy_pg");
    }

    @Test
    void aQueryShowsTheStateOfItsTime() throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT sum(total_conns) FROM sys.remote_pool_stats WHERE db_type = ?")) {
            query.setString(1, "postgresql");
            assertThat(first(query.executeQuery())).isEqualTo("8");
            registry.pools = List.of(SampleRegistry.pool("legacy_pg", RemoteDatabaseType.POSTGRESQL, 1, 1));
            assertThat(first(query.executeQuery())).isEqualTo("2");
        }
    }

    @Test
    void aViewIsReadOnceForAQueryThatNamesItTwice() throws SQLException {
        registry.poolsRead = 0;
        rows("SELECT a.server_name FROM sys.remote_pool_stats a, sys.remote_pool_stats b, sys.remote_connections c");
        assertThat(registry.poolsRead).isEqualTo(1);
        rows("SELECT * FROM sys.remote_connections");
        assertThat(registry.poolsRead).isEqualTo(1);
    }

    @Test
    void statementsChangeTheCatalogAndCallsReachTheRegistry() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.execute("CREATE SERVER s FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (host 'h',"
                            + " max_connections '7', driver.sslpassword '$PATH')"))
                    .isFalse();
            assertThat(statement.getUpdateCount()).isZero();
            assertThat(statement.getMoreResults()).isFalse();
            assertThat(statement.getUpdateCount()).isEqualTo(-1);
            assertThat(statement.executeUpdate("CREATE USER MAPPING FOR CURRENT_USER SERVER s OPTIONS (user 'app',"
                            + " password '$SECRET_PLACE')"))
                    .isZero();
            statement.execute("CALL sys.warmup_pool('s', 3)");
        }
        assertThat(registry.calls).containsExactly("warmup s 3");
        assertThat(rows("SELECT server_name, wrapper, port, max_connections, options, owner FROM sys.foreign_servers"))
                .containsExactly(
                        "s|postgresql_fdw|5432|7|host 'h', max_connections '7', driver.sslpassword '$PATH'|ann");
        assertThat(rows("SELECT server_name, local_user, remote_user, auth_type, has_password, options"
                        + " FROM sys.user_mappings"))
                .containsExactly("s|ann|app|password|TRUE|remote_user 'app'");
        assertThat(rows("SELECT option_value, given FROM sys.foreign_server_options WHERE option_name IN"
                        + " ('max_connections', 'query_timeout') ORDER BY option_name"))
                .containsExactly("7|TRUE", "30000|FALSE");
        try (PreparedStatement drop = connection.prepareStatement("DROP SERVER s CASCADE")) {
            assertThat(drop.execute()).isFalse();
            assertThat(drop.getResultSet()).isNull();
        }
        assertThat(registry.catalog.servers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE t(a int)",
                "DROP TABLE sys.remote_pool_stats",
                "DELETE FROM sys.remote_pool_stats",
                "UPDATE sys.remote_pool_stats SET active = 0",
                "INSERT INTO sys.remote_pool_stats(active) VALUES (1)",
                "CREATE ALIAS f FOR 'java.lang.System.exit'",
                "CREATE LOCAL TEMPORARY TABLE t(a int)",
                "SELECT FILE_READ('/etc/passwd')",
                "SELECT FILE_WRITE('a', '/tmp/reservoir-must-not-be')",
                "SELECT * FROM CSVREAD('/etc/passwd')",
                "SELECT CSVWRITE('/tmp/reservoir-must-not-be', 'SELECT 1')",
                "SELECT * FROM LINK_SCHEMA('a', '', 'jdbc:h2:mem:y', '', '', 'x')",
                "SCRIPT TO '/tmp/reservoir-must-not-be'",
                "RUNSCRIPT FROM '/etc/passwd'",
                "SHUTDOWN",
                "SET DB_CLOSE_DELAY 1",
                "GRANT ALL ON SCHEMA sys TO reader",
                "ALTER USER reader ADMIN TRUE",
                "SELECT 1; DELETE FROM sys.remote_pool_stats",
                "EXPLAIN ANALYZE DELETE FROM sys.remote_pool_stats",
                "WITH x AS (SELECT 1) DELETE FROM sys.remote_pool_stats",
                "EXECUTE IMMEDIATE 'SHUTDOWN'",
                "",
            })
    void nothingButQueriesIsAllowed(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute(sql)).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> connection.prepareStatement(sql).execute()).isInstanceOf(SQLException.class);
        }
        assertThat(rows("SELECT * FROM sys.remote_pool_stats")).hasSize(2);
    }

    @Test
    void theConnectionOfTheEngineIsNotGivenOut() throws SQLException {
        assertThat(connection.getMetaData().getURL()).isEqualTo(URL);
        assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
        assertThat(connection.unwrap(Connection.class)).isSameAs(connection);
        assertThat(connection.isWrapperFor(SampleRegistry.class)).isFalse();
        assertThatThrownBy(() -> connection.unwrap(SampleRegistry.class)).isInstanceOf(SQLException.class);
        try (Statement statement = connection.createStatement()) {
            assertThat(statement.getConnection()).isSameAs(connection);
        }
    }

    @Test
    void anUnknownRegistryIsAnsweredWithThoseThatAreThere() {
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:reservoir:sys:other"))
                .hasMessageContaining("open now: sample");
        assertThatThrownBy(() -> registry.open("sample")).hasMessageContaining("open already");
    }

    @Test
    void closeEndsTheSessions() throws SQLException {
        database.close();
        assertThatThrownBy(() -> rows("SELECT * FROM sys.remote_pool_stats")).isInstanceOf(SQLException.class);
        assertThat(connection.isClosed()).isTrue();
        assertThatThrownBy(() -> database.connect("ann")).hasMessageContaining("closed");
    }

    @Test
    void thereIsALimitOfSessions() throws SQLException {
        List<Connection> all = new ArrayList<>();
        for (int i = 1; i < SysDatabase.SESSIONS_MAX; i++) {
            all.add(database.connect("ann"));
        }
        assertThatThrownBy(() -> database.connect("ann")).hasMessageStartingWith("RD005: the views of registry sample");
        all.get(0).close();
        database.connect("ann").close();
        for (Connection one : all) {
            one.close();
        }
    }

    private List<String> rows(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
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

    private static String first(ResultSet result) throws SQLException {
        try (result) {
            assertThat(result.next()).isTrue();
            return result.getString(1);
        }
    }
}
