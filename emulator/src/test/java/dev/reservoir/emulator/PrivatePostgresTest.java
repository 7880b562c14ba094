package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Clients reach the PostgreSQL server only through the emulator. */
class PrivatePostgresTest {
    private static DsqlEmulator dsql;
    private static String direct;

    @BeforeAll
    static void start() throws Exception {
        dsql = DsqlEmulator.builder().httpPort(-1).start();
        Path data = dsql.caCertificate().resolveSibling("postgres").resolve("data");
        String port = Files.readAllLines(data.resolve("postmaster.pid")).get(3).strip();
        direct = "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    @AfterAll
    static void stop() {
        dsql.close();
    }

    private static Connection connectAs(String user) throws SQLException {
        return DriverManager.getConnection(dsql.jdbcUrl(), user, "");
    }

    private static void asAdmin(String... statements) throws SQLException {
        try (Connection admin = connectAs("admin");
                Statement statement = admin.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static void assertLogsIn(String user) throws SQLException {
        try (Connection connection = connectAs(user)) {
            assertThat(value(connection, "select current_user")).isEqualTo(user);
        }
    }

    @ParameterizedTest
    @CsvSource({"postgres, ''", "postgres, postgres", "admin, ''", "admin, admin"})
    void nobodyLogsInPastTheEmulator(String user, String password) throws SQLException {
        assertLogsIn("admin");
        assertThatThrownBy(() -> DriverManager.getConnection(direct, user, password))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isIn("28P01", "08004"));
    }

    @Test
    void adminIsNoSuperuserAndRunsNoProgram() throws SQLException {
        try (Connection admin = connectAs("admin")) {
            assertThat(value(admin, "select rolsuper::text from pg_roles where rolname = current_user"))
                    .isEqualTo("false");
            assertThatThrownBy(() -> value(admin, "select pg_read_file('postgresql.conf')"))
                    .isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> value(admin, "copy (select 1) to program 'cat'"))
                    .isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> value(admin, "select rolpassword from pg_authid"))
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void aRoleThatAdminCreatedLogsIn() throws SQLException {
        asAdmin("create role clerk login");
        assertLogsIn("clerk");
    }

    @Test
    void aRoleWhosePasswordAdminChangedLogsIn() throws SQLException {
        assertLogsIn("seller");
        asAdmin("create role buyer login");
        assertLogsIn("buyer");
        asAdmin("alter role buyer password 'own'");
        assertLogsIn("buyer");
    }

    @Test
    void aRoleThatWasDroppedAndCreatedAgainLogsIn() throws SQLException {
        asAdmin("create role guest login");
        assertLogsIn("guest");
        asAdmin("drop role guest", "create role guest login");
        assertLogsIn("guest");
    }
}
