package dev.reservoir.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.cli.Child;
import dev.reservoir.cli.Shell;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code reservoir emulator}, as a process of its own. */
@DisabledOnOs(OS.WINDOWS)
class EmulatorCommandTest {

    @TempDir
    private Path folder;

    private static String found(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(text).isTrue();
        return matcher.group(1);
    }

    @Test
    void saysHowToConnectAndWhatItSaysWorksUntilCtrlC() throws Exception {
        try (Child emulator = Child.start(folder, "emulator", "--rate", "0.01", "--burst", "2", "--max-age", "10m")) {
            emulator.awaitPrinted("Press Ctrl-C to stop");
            String told = emulator.printed();
            assertThat(told)
                    .startsWith("DSQL emulator at localhost:")
                    .contains("psql 'host=localhost port=", "sslmode=verify-full'", "No password is needed.")
                    .contains("0.01/s new connections, 2 at once, 10000 open, none older than 10 min");
            String url = found(told, "JDBC +(\\S+)");

            try (Connection first = DriverManager.getConnection(url);
                    Connection second = DriverManager.getConnection(url);
                    Statement statement = second.createStatement();
                    ResultSet row = statement.executeQuery("select 41 + 1")) {
                assertThat(first.isValid(10)).isTrue();
                row.next();
                assertThat(row.getInt(1)).isEqualTo(42);
                assertThatThrownBy(() -> DriverManager.getConnection(url))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("rate exceeded");
            }
            String counters = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create(found(told, "curl (http\\S+/counters)")))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
            assertThat(counters).contains("\"refusedByRate\":1");
            assertThat(emulator.servers()).as("PostgreSQL runs").isNotEmpty();

            emulator.interrupt();

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> emulator.servers().isEmpty());
            assertThat(emulator.left()).isEmpty();
        }
    }

    @Test
    void ctrlCWhileItStartsLeavesNothingBehindEither() throws Exception {
        try (Child emulator = Child.start(folder, "emulator")) {
            await().atMost(Duration.ofSeconds(60)).until(() -> !emulator.left().isEmpty());
            assertThat(emulator.printed()).as("it has not started yet").isEmpty();

            emulator.interrupt();

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> emulator.servers().isEmpty());
            assertThat(emulator.left()).isEmpty();
        }
    }

    @Test
    void withoutADatabaseItChecksTokensAndShowsNoSecret() throws Exception {
        String secret = "wJalrXUtnFEMI-EXAMPLEKEY";
        Path file = Files.createFile(
                folder.resolve("key"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, "AKIDEXAMPLE=" + secret + "\n");
        try (Child emulator = Child.start(
                folder,
                "emulator",
                "--backend",
                "stub",
                "--http-port",
                "off",
                "--tokens",
                "signature",
                "--secret-file",
                file.toString())) {
            emulator.awaitPrinted("Press Ctrl-C to stop");
            String told = emulator.printed();
            assertThat(told).contains("backend stub, tokens signature").doesNotContain(secret, "curl", "No password");
            assertThatThrownBy(() -> DriverManager.getConnection(found(told, "JDBC +(\\S+)") + "&password=no"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("access denied");
            emulator.interrupt();
            assertThat(emulator.left()).isEmpty();
        }
    }

    @Test
    void aPortThatIsTakenIsSaidInOneLine() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            Shell shell = Shell.piped();

            assertThat(shell.run("emulator", "--backend", "stub", "--port", "" + taken.getLocalPort()))
                    .isEqualTo(1);
            assertThat(shell.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("reservoir: the emulator did not start: ")
                    .endsWith("; see --port, --http-port and --backend-url");
        }
    }
}
