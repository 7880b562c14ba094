package dev.reservoir.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cli.Child;
import dev.reservoir.cli.Shell;
import dev.reservoir.remote.metrics.RemoteMetric;
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

/** {@code reservoir remote serve}, as a process of its own, on a real PostgreSQL. */
@DisabledOnOs(OS.WINDOWS)
class RemoteServeCommandTest {
    private static final String SQL_PASSWORD = "a-secret-of-the-port";

    @TempDir
    private Path folder;

    private static String found(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(text).isTrue();
        return matcher.group(1);
    }

    private String file() {
        RemoteServers servers = new RemoteServers(folder);
        return servers.file(
                RemoteServers.server("pg"),
                servers.mapping("ann", "pg", RemoteServers.PASSWORD),
                "CALL sys.warmup_pool('pg', 2);");
    }

    private static String scraped(String url) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(20))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }

    @Test
    void psqlAndPrometheusReadItUntilASignalEndsItWithZero() throws Exception {
        String password =
                new RemoteServers(folder).secret("sql.pw", SQL_PASSWORD).toString();
        try (Child child = Child.start(folder, "remote", "serve", file(), "--password-file", password)) {
            child.awaitPrinted("Press Ctrl-C to stop.");
            String told = child.printed();
            assertThat(told)
                    .contains("Registry of 1 server and 1 user mapping from ")
                    .contains("(password from " + password + ")");
            String url = "jdbc:postgresql://127.0.0.1:" + found(told, "psql -h 127.0.0.1 -p (\\d+) -U reservoir ")
                    + "/reservoir";

            assertThatThrownBy(() -> DriverManager.getConnection(url, "reservoir", "a-wrong-password"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password authentication failed");
            try (Connection connection = DriverManager.getConnection(url, "reservoir", SQL_PASSWORD);
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT server_name, idle FROM sys.remote_pool_stats")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo("pg");
                assertThat(row.getInt(2)).isEqualTo(2);
            }
            String metrics = scraped(found(told, "curl (http://127.0.0.1:\\d+/metrics)"));
            for (RemoteMetric metric : RemoteMetric.values()) {
                assertThat(metrics).contains("\n# TYPE " + metric.metricName() + " ");
            }
            assertThat(metrics)
                    .contains("scratchbird_remote_pool_connections_total{server=\"pg\",state=\"idle\"} 2.0\n");

            assertThat(child.interrupt()).isZero();
            assertThat(child.printed()).endsWith("Stopped.\n");
            assertThat(child.printed() + metrics).doesNotContain(SQL_PASSWORD).doesNotContain(RemoteServers.PASSWORD);
            assertThat(child.left()).isEmpty();
        }
    }

    @Test
    void anOccupiedPortIsNamedAndNothingStaysOpen() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = "" + taken.getLocalPort();
            Shell sql = Shell.piped();
            assertThat(sql.run("remote", "serve", file(), "--no-password", "--port", port))
                    .isEqualTo(1);
            assertThat(sql.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("reservoir: the port for psql cannot be " + port + " of 127.0.0.1: ")
                    .endsWith("; give another with --port or --address, 0 for a free port");
            // The registry of the first call is closed, so a second one of the same name starts.
            Shell http = Shell.piped();
            assertThat(http.run("remote", "serve", file(), "--no-password", "--http-port", port))
                    .isEqualTo(1);
            assertThat(http.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("reservoir: the port for metrics cannot be " + port + " of 127.0.0.1: ");
        }
    }

    @Test
    void aWrongFileEndsWithTwoAndAFailedCallWithOne() throws Exception {
        RemoteServers servers = new RemoteServers(folder);
        Shell wrong = Shell.piped();
        assertThat(wrong.run("remote", "serve", servers.file("CREATE SERVER"), "--no-password"))
                .isEqualTo(2);
        assertThat(wrong.err()).startsWith("reservoir: RD010: " + folder).contains("line 1, column ");

        Shell failed = Shell.piped();
        String file = servers.file(
                RemoteServers.server("pg", RemoteServers.postgres().port(), ", connect_timeout '1000'"),
                servers.mapping("ann", "pg", RemoteServers.WRONG_PASSWORD),
                "CALL sys.warmup_pool('pg', 1);");
        assertThat(failed.run("remote", "serve", file, "--no-password")).isEqualTo(1);
        assertThat(failed.err()).contains(", line 3, column 1: ").doesNotContain(RemoteServers.WRONG_PASSWORD);
    }

    @Test
    void aPasswordThatTheProtocolCannotCarryIsRefusedWithoutShowingIt() {
        Shell shell = Shell.piped().with("RESERVOIR_SQL_PASSWORD", "gehe\u00edm");
        assertThat(shell.run("remote", "serve", file())).isEqualTo(2);
        assertThat(shell.err())
                .startsWith("reservoir: the password of user reservoir is refused; allowed: printable ASCII")
                .doesNotContain("gehe");
    }

    @Test
    void aPasswordFileThatOthersMayReadIsRefused() throws Exception {
        Path open = Files.writeString(folder.resolve("open.pw"), SQL_PASSWORD);
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        Shell shell = Shell.piped();
        assertThat(shell.run("remote", "serve", file(), "--password-file", open.toString()))
                .isEqualTo(2);
        assertThat(shell.err())
                .contains("allowed: a file that its owner alone may use")
                .doesNotContain(SQL_PASSWORD);
    }
}
