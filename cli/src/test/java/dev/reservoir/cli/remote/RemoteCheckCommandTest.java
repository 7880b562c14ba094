package dev.reservoir.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.reservoir.cli.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code reservoir remote check}, on a real PostgreSQL. */
@DisabledOnOs(OS.WINDOWS)
class RemoteCheckCommandTest {
    @TempDir
    private Path folder;

    private final Shell shell = Shell.piped();

    private RemoteServers servers() {
        return new RemoteServers(folder);
    }

    private void showsNoSecret() {
        assertThat(shell.out() + shell.err())
                .doesNotContain(RemoteServers.PASSWORD)
                .doesNotContain(RemoteServers.WRONG_PASSWORD);
    }

    @Test
    void everyLoginThatWorksHasItsVersionItsUserAndItsTimes() {
        RemoteServers servers = servers();
        String file = servers.file(
                RemoteServers.server("pg"),
                servers.mapping("ann", "pg", RemoteServers.PASSWORD),
                servers.mapping("PUBLIC", "pg", RemoteServers.PASSWORD),
                "CALL sys.warmup_pool('pg', 2);");
        assertThat(shell.run("remote", "check", file)).as(shell.err()).isZero();
        List<String> lines = shell.out().lines().toList();
        assertThat(lines).hasSize(5);
        assertThat(lines.get(0)).matches(" +server +type +version +user +TLS +connect +ping +health query +problem");
        String time = " +[0-9.]+ (us|ms|s)";
        String row = " +pg +postgresql +PostgreSQL 1\\d[.]\\d+ +%s as app_ann +off" + time.repeat(3) + " +none";
        assertThat(lines.get(1)).matches(String.format(row, "PUBLIC"));
        assertThat(lines.get(2)).matches(String.format(row, "ann"));
        assertThat(lines.get(4)).isEqualTo("OK: 1 server, 2 logins");
        showsNoSecret();
    }

    @Test
    void oneLoginThatFailsMakesTheCommandFailAndItsRowSaysWhy() throws Exception {
        RemoteServers servers = servers();
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        String file = servers.file(
                RemoteServers.server("good"),
                servers.mapping("ann", "good", RemoteServers.PASSWORD),
                RemoteServers.server("wrong"),
                servers.mapping("eve", "wrong", RemoteServers.WRONG_PASSWORD),
                RemoteServers.server("away", free, ""),
                servers.mapping("ann", "away", RemoteServers.PASSWORD),
                RemoteServers.server("unmapped"),
                RemoteServers.server("sb").replace("postgresql_fdw", "scratchbird_fdw"),
                servers.mapping("ann", "sb", RemoteServers.PASSWORD));
        assertThat(shell.run("remote", "check", file)).isEqualTo(1);
        assertThat(shell.out())
                .containsPattern("(?m)^ +good .* none$")
                .containsPattern("(?m)^ +wrong .* RD002: wrong: cannot connect to 127.0.0.1:\\d+/postgres as app_ann: ")
                .containsPattern("(?m)^ +away .* RD001: away: cannot connect to 127.0.0.1:" + free)
                .containsPattern("(?m)^ +unmapped .* RD031: unmapped: no user mapping, so nobody can connect; add one")
                .containsPattern("(?m)^ +sb .* RD001: sb: the JDBC driver for scratchbird .* is not on the class path")
                .endsWith("FAIL: 4 of 5 checks failed\n");
        showsNoSecret();
    }

    /** A server that accepts and never answers. The others are shown all the same. */
    @Test
    void aServerThatHangsIsGivenUp() throws Exception {
        RemoteServers servers = servers();
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String file = servers.file(
                    RemoteServers.server("hangs", silent.getLocalPort(), ", connect_timeout '1000'"),
                    servers.mapping("ann", "hangs", RemoteServers.PASSWORD),
                    RemoteServers.server("works"),
                    servers.mapping("ann", "works", RemoteServers.PASSWORD));
            assertThat(shell.run("remote", "check", file)).isEqualTo(1);
        }
        assertThat(shell.out())
                .containsPattern("(?m)^ +hangs .* RD004: hangs: ")
                .containsPattern("(?m)^ +works .* none$")
                .endsWith("FAIL: 1 of 2 checks failed\n");
        showsNoSecret();
    }

    /** The servers end a connect only when all have one. One after the other, the first would wait for its timeout. */
    @Test
    void serversAreCheckedAtTheSameTime() throws Exception {
        int count = 5;
        RemoteServers servers = servers();
        List<String> statements = new ArrayList<>();
        try (ServerSocket gate = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < count; i++) {
                String options = ", connect_timeout '60000', ssl_mode 'disable'";
                statements.add(RemoteServers.server("gate" + i, gate.getLocalPort(), options));
                statements.add(servers.mapping("ann", "gate" + i, RemoteServers.PASSWORD));
            }
            Thread server = new Thread(() -> closeTogether(gate, count));
            server.setDaemon(true);
            server.start();
            assertThat(shell.run("remote", "check", servers.file(statements.toArray(String[]::new))))
                    .isEqualTo(1);
        }
        assertThat(shell.out()).contains("FAIL: 5 of 5 checks failed").doesNotContain("RD004");
    }

    private static void closeTogether(ServerSocket gate, int count) {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(gate.accept());
            }
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void jsonHasTheSame() throws Exception {
        RemoteServers servers = servers();
        String file = servers.file(
                RemoteServers.server("pg"),
                servers.mapping("ann", "pg", RemoteServers.PASSWORD),
                servers.mapping("eve", "pg", RemoteServers.WRONG_PASSWORD));
        assertThat(shell.run("remote", "check", "--json", file)).isEqualTo(1);
        JsonNode json = new ObjectMapper().readTree(shell.out());
        assertThat(json.get("works").asBoolean()).isFalse();
        JsonNode ann = json.get("checks").get(0);
        assertThat(ann.get("localUser").asText()).isEqualTo("ann");
        assertThat(ann.get("version").asText()).startsWith("PostgreSQL ");
        assertThat(ann.get("tls").asBoolean()).isFalse();
        assertThat(ann.get("connectMillis").asDouble()).isPositive();
        assertThat(ann.get("pingMillis").asDouble()).isPositive();
        assertThat(ann.get("healthQueryMillis").asDouble()).isPositive();
        assertThat(ann.get("problem").isNull()).isTrue();
        JsonNode eve = json.get("checks").get(1);
        assertThat(eve.get("problem").asText()).startsWith("RD002: pg: cannot connect");
        assertThat(eve.get("connectMillis").isNull()).isTrue();
        showsNoSecret();
    }

    @Test
    void currentUserIsTheOneThatIsGiven() {
        RemoteServers servers = servers();
        String file =
                servers.file(RemoteServers.server("pg"), servers.mapping("CURRENT_USER", "pg", RemoteServers.PASSWORD));
        assertThat(shell.run("remote", "check", "--user", "bob", file)).isZero();
        assertThat(shell.out()).contains("bob as app_ann");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "CREATE SERVER a FOREIGN WRAPPER x | RD010: %s, line 2, column 25: found",
                "CREATE SERVER a FOREIGN DATA WRAPPER postgresql_fdw OPTIONS (host 'h', max_conn '3')"
                        + " | RD032: %s, line 2, column 72: a server has no option max_conn; nearest: max_connections",
                "CREATE USER MAPPING FOR u SERVER b OPTIONS (user 'x') | RD030: %s, line 2, column ",
                "CALL sys.warmup_pool('b', 1) | RD030: %s, line 2, column "
            })
    void aMistakeInTheFileHasItsLineAndColumn(String statement, String message) {
        String file = servers().file("-- a comment", statement);
        assertThat(shell.run("remote", "check", file)).isEqualTo(2);
        assertThat(shell.err()).startsWith("reservoir: " + String.format(message, file));
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void aFileWithoutAServerOrThatCannotBeReadIsRefused() {
        assertThat(shell.run("remote", "check", servers().file("-- nothing"))).isEqualTo(2);
        assertThat(shell.err()).endsWith("servers.sql has no server; allowed: at least one CREATE SERVER\n");
        Shell other = Shell.piped();
        assertThat(other.run("remote", "check", folder.resolve("no-such.sql").toString()))
                .isEqualTo(2);
        assertThat(other.err()).endsWith("no-such.sql cannot be read (NoSuchFileException)\n");
    }
}
