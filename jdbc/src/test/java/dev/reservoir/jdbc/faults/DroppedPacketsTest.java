package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Packets that are really dropped, in a network namespace made for that. No caller waits for a connection here, so only
 * TCP keepalive can end a call that waits for its answer.
 */
@Timeout(120)
class DroppedPacketsTest {
    private static final int PORT = 5432;

    private final long id = ProcessHandle.current().pid();
    private final String namespace = "reservoir-" + id;
    private final String link = "rsv" + id % 1_000_000;

    /** From a range that is reserved for tests of networks and is routed nowhere. */
    private final String network = "198.18." + id % 256 + ".";

    private Process relay;
    private boolean made;

    @AfterEach
    void removeNamespace() throws Exception {
        if (relay != null) {
            relay.destroyForcibly().waitFor();
        }
        if (made) {
            // Deleting the namespace deletes both ends of the link.
            run("ip", "netns", "delete", namespace);
        }
    }

    @Test
    void aCallThatWaitsForItsAnswerEndsByKeepalive() throws Exception {
        makeNamespace();
        String name = "dropped-packets";
        String server = network + "2:" + PORT;
        try (Backends backends = Backends.of(TestPostgres.url())) {
            startRelay(backends);
            String url = TestPostgres.url().replaceFirst("//[^/]+/", "//" + server + "/");
            try (ReservoirDataSource pool = Pools.named(name, url).maxOpen(1).build()) {
                List<Integer> lost = backends.pids(name);
                Future<Integer> stuck = BusyBlackHoleTest.start(() -> {
                    try (Connection connection = pool.getConnection()) {
                        return Pools.number(connection, "select 1 from pg_sleep(300)");
                    }
                });
                Awaitility.await("asked")
                        .atMost(Pools.PATIENCE)
                        .until(() -> backends.number("select count(*) from pg_stat_activity where state = 'active'"
                                        + " and application_name = '" + name + "'")
                                == 1);
                run("ip", "-n", namespace, "route", "add", "blackhole", network + "1/32");

                // 5 s idle, then 3 probes 5 s apart without an answer: 20 s. The test allows half as much again for a
                // busy machine.
                assertThatThrownBy(() -> stuck.get(30, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(SQLException.class);

                run("ip", "-n", namespace, "route", "del", "blackhole", network + "1/32");
                backends.terminateAndAwait(lost);
                assertThat(Pools.useOnce(pool)).isPositive();
                Pools.closeAndCheck(pool, name, backends);
            }
        }
    }

    private void makeNamespace() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "skipped: only root may make a network namespace");
        assumeTrue(
                Files.isExecutable(Path.of("/usr/sbin/ip")) || Files.isExecutable(Path.of("/sbin/ip")),
                "skipped: there is no ip");
        made = exitCode("ip", "netns", "add", namespace) == 0;
        assumeTrue(made, "skipped: the system does not let us make a network namespace");
        boolean linked =
                exitCode("ip", "link", "add", link, "type", "veth", "peer", "name", "veth0", "netns", namespace) == 0;
        assumeTrue(linked, "skipped: the system has no virtual Ethernet links");
        run("ip", "address", "add", network + "1/30", "dev", link);
        run("ip", "link", "set", link, "up");
        run("ip", "-n", namespace, "address", "add", network + "2/30", "dev", "veth0");
        run("ip", "-n", namespace, "link", "set", "veth0", "up");
    }

    private void startRelay(Backends backends) throws Exception {
        String directory = backends.text("show unix_socket_directories")
                .replaceFirst(",.*", "")
                .strip();
        Path socket = Path.of(directory, ".s.PGSQL." + TestPostgres.port());
        assumeTrue(Files.exists(socket), "skipped: the server has no socket in the file system");
        Path classes = Path.of(NamespaceRelay.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        relay = new ProcessBuilder(
                        "ip",
                        "netns",
                        "exec",
                        namespace,
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classes.toString(),
                        NamespaceRelay.class.getName(),
                        network + "2",
                        Integer.toString(PORT),
                        socket.toString())
                .redirectErrorStream(true)
                .start();
        BufferedReader output = relay.inputReader(StandardCharsets.UTF_8);
        assertThat(output.readLine()).isEqualTo(NamespaceRelay.READY);
    }

    private static void run(String... command) throws IOException, InterruptedException {
        assertThat(exitCode(command)).as(String.join(" ", command)).isZero();
    }

    private static int exitCode(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS))
                .as("%s ends", (Object) command[0])
                .isTrue();
        return process.exitValue();
    }
}
