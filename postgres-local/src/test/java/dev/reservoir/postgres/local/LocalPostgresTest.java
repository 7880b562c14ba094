package dev.reservoir.postgres.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server starts, stops, starts again and leaves nothing behind. */
class LocalPostgresTest {
    private static LocalPostgres server;

    @BeforeAll
    static void start() {
        server = LocalPostgres.builder().setting("work_mem", "5MB").start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    static String ask(LocalPostgres server, String sql) throws SQLException {
        try (Connection connection = server.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void itHasTheSettingsThatWereGiven() throws SQLException {
        assertThat(ask(server, "show work_mem")).isEqualTo("5MB");
        assertThat(ask(server, "show max_connections")).isEqualTo("300");
        assertThat(ask(server, "show listen_addresses")).isEqualTo("127.0.0.1");
        assertThat(ask(server, "show server_encoding")).isEqualTo("UTF8");
    }

    @Test
    void aSettingThatIsNoneIsRefused() {
        assertThatThrownBy(() -> LocalPostgres.builder().setting("port = 1\nx", "1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("allowed: a name of small letters and _");
        assertThatThrownBy(() -> LocalPostgres.builder().setting("port", "1\nlisten_addresses = '*'"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theUrlLogsTheSuperuserIn() throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.url())) {
            assertThat(connection.getMetaData().getUserName()).isEqualTo(LocalPostgres.USER);
        }
    }

    @Test
    void itComesBackOnTheSamePortWithItsData() throws Exception {
        try (LocalPostgres other = LocalPostgres.start()) {
            try (Connection connection = other.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("create table kept as select 42 as answer");
            }
            int port = other.port();

            other.stop();
            assertThatThrownBy(() -> DriverManager.getConnection(other.url())).isInstanceOf(SQLException.class);
            other.startAgain();
            assertThat(other.port()).isEqualTo(port);
            assertThat(ask(other, "select answer from kept")).isEqualTo("42");
            assertThatThrownBy(other::startAgain).isInstanceOf(IllegalStateException.class);

            other.crash();
            other.startAgain();
            assertThat(ask(other, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void closingLeavesNeitherFileNorProcess(@TempDir Path parent) throws Exception {
        LocalPostgres other = LocalPostgres.builder().parent(parent).start();
        Path pidFile = other.dataDirectory().resolve("postmaster.pid");
        long pid = Long.parseLong(Files.readAllLines(pidFile).get(0).strip());
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow();

        other.close();
        other.close();

        assertThat(parent).isEmptyDirectory();
        process.onExit().get(30, TimeUnit.SECONDS);
    }

    @Test
    void aStartThatFailsSaysWhyAndLeavesNothing(@TempDir Path parent) {
        assertThatThrownBy(() -> LocalPostgres.builder()
                        .parent(parent)
                        .setting("shared_buffers", "plenty")
                        .start())
                .rootCause()
                .hasMessageContaining("invalid value for parameter \"shared_buffers\": \"plenty\"");
        assertThat(parent).isEmptyDirectory();
    }
}
