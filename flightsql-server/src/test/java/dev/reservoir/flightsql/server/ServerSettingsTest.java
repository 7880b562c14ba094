package dev.reservoir.flightsql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the builder's settings do to the server. */
class ServerSettingsTest {
    @TempDir
    private Path folder;

    @Test
    void aDatabaseInAFileSurvivesTheServer() {
        Path file = folder.resolve("trial.duckdb");
        try (FlightSqlServer server = FlightSqlServer.builder().database(file).start()) {
            server.execute("CREATE TABLE kept AS SELECT 7 AS x");
        }
        try (FlightSqlServer server =
                FlightSqlServer.builder().database(file).fileAccess(false).start()) {
            assertThat(server.number("SELECT x FROM kept")).isEqualTo(7);
            server.execute("INSERT INTO kept VALUES (8)");
        }
        try (FlightSqlServer server = FlightSqlServer.builder().database(file).start()) {
            assertThat(server.number("SELECT sum(x)::BIGINT FROM kept")).isEqualTo(15);
        }
    }

    @Test
    void aFileThatIsNoDatabaseIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("letter.txt"), "Dear Sir or Madam, this is no database.");
        FlightSqlServer.Builder builder = FlightSqlServer.builder().database(file);
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalStateException.class)
                .rootCause()
                .hasMessageContaining("letter.txt");
    }

    @Test
    void statementsCannotReadFilesIfThatIsSwitchedOff() throws IOException {
        Path file = Files.writeString(folder.resolve("numbers.csv"), "x\n41\n");
        String sql = "SELECT x FROM read_csv('" + file + "')";
        try (FlightSqlServer server = FlightSqlServer.builder().start()) {
            assertThat(server.number(sql)).isEqualTo(41);
        }
        try (FlightSqlServer server =
                FlightSqlServer.builder().fileAccess(false).start()) {
            assertThatThrownBy(() -> server.number(sql)).rootCause().hasMessageContaining("disabled");
            assertThatThrownBy(() -> server.execute("SET GLOBAL enable_external_access = true"))
                    .rootCause()
                    .hasMessageContaining("Cannot enable external access");
        }
    }

    @Test
    void aPortThatIsTakenIsRefusedAtOnce() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            FlightSqlServer.Builder builder = FlightSqlServer.builder().port(taken.getLocalPort());
            assertThatThrownBy(builder::start)
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessage("port " + taken.getLocalPort() + " is taken");
        }
    }

    @Test
    void theEndpointNamesTheAddressThatClientsUse() throws IOException {
        try (FlightSqlServer server = FlightSqlServer.builder()
                .address(InetAddress.getByName("0.0.0.0"))
                .start()) {
            assertThat(server.endpoint()).isEqualTo("grpc://127.0.0.1:" + server.port());
        }
        try (FlightSqlServer server = FlightSqlServer.builder()
                .address(InetAddress.getByName("127.0.0.2"))
                .start()) {
            assertThat(server.endpoint()).isEqualTo("grpc://127.0.0.2:" + server.port());
        }
    }
}
