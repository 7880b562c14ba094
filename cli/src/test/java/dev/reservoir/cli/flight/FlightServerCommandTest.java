package dev.reservoir.cli.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.cli.Child;
import dev.reservoir.cli.Shell;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.spi.Credentials.Credential;
import dev.reservoir.flightsql.FlightSqlPool;
import dev.reservoir.flightsql.PoolConfig;
import dev.reservoir.flightsql.QueryOptions;
import dev.reservoir.flightsql.SessionHandle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code reservoir flight-server}, as a process of its own. */
@DisabledOnOs(OS.WINDOWS)
class FlightServerCommandTest {
    private static final Pattern ENDPOINT = Pattern.compile("Flight SQL server at (grpc://[0-9.:]+)");

    @TempDir
    private Path folder;

    /** Waits until the server listens, and returns its address. */
    private static String endpoint(Child server) {
        server.awaitPrinted("Press Ctrl-C to stop");
        Matcher found = ENDPOINT.matcher(server.printed());
        assertThat(found.find()).as(server.printed()).isTrue();
        return found.group(1);
    }

    private static PoolConfig.Builder config() {
        return PoolConfig.builder().minIdle(0).acquireTimeout(Duration.ofSeconds(20));
    }

    private static long number(FlightSqlPool pool, String sql) {
        return pool.query(sql).single(row -> row.getLong(0));
    }

    @Test
    void saysHowToConnectAndWhatItSaysWorksUntilCtrlC() throws Exception {
        try (Child server = Child.start(folder, "flight-server")) {
            try (FlightSqlPool pool = new FlightSqlPool(endpoint(server), config().build())) {
                assertThat(number(pool, "SELECT 41 + 1")).isEqualTo(42);
            }
            assertThat(server.interrupt()).isZero();
            assertThat(server.printed())
                    .contains("DuckDB in memory", "FlightSqlPool.withDefaults(\"grpc://127.0.0.1:")
                    .contains("1,000 at most; a session ends with its connection", "cancel on, transactions on")
                    .contains("No token is needed.")
                    .endsWith("Press Ctrl-C to stop; all data is deleted.\nStopped.\n");
        }
    }

    @Test
    void aTerminationSignalEndsItCleanlyAndTheDataOfAFileStays() throws Exception {
        Path file = folder.resolve("trial.duckdb");
        for (int run = 0; run < 2; run++) {
            Path own = Files.createDirectories(folder.resolve("run" + run));
            try (Child server = Child.start(own, "flight-server", "--database", file.toString())) {
                try (FlightSqlPool pool = new FlightSqlPool(endpoint(server), config().build())) {
                    pool.update("CREATE TABLE IF NOT EXISTS kept (x BIGINT)");
                    pool.update("INSERT INTO kept VALUES (1)");
                    assertThat(number(pool, "SELECT count(*) FROM kept")).isEqualTo(run + 1);
                }
                assertThat(server.terminate()).isZero();
                assertThat(server.printed()).endsWith("Press Ctrl-C to stop; the data stays.\nStopped.\n");
            }
        }
    }

    @Test
    void aStatementThatRunsDoesNotKeepItAlive() throws Exception {
        try (Child server = Child.start(folder, "flight-server", "--cancel", "off")) {
            try (FlightSqlPool pool = new FlightSqlPool(endpoint(server), config().build())) {
                CompletableFuture<?> running = pool.async().execute("SELECT 1 /* wait 600000 ms */");
                assertThat(number(pool, "SELECT 1")).isEqualTo(1);
                assertThat(server.interrupt()).isZero();
                assertThatThrownBy(running::join).isInstanceOf(RuntimeException.class);
            }
        }
    }

    @Test
    void theSessionRulesAreThoseOfTheOptions() {
        try (Child server = Child.start(
                folder, "flight-server", "--rules", "swanlake", "--sessions", "1", "--no-transactions", "--files")) {
            QueryOptions brief = QueryOptions.defaults().withTimeout(Duration.ofSeconds(2));
            try (FlightSqlPool pool = new FlightSqlPool(
                            endpoint(server), config().maxSize(2).build());
                    SessionHandle session = pool.acquireSession()) {
                assertThatThrownBy(session::beginTransaction).hasMessageContaining("no transactions");
                assertThatThrownBy(() -> pool.query("SELECT 1", brief)).isInstanceOf(NoConnectionException.class);
            }
            assertThat(server.printed())
                    .contains("1 at most; a session outlives its connection and ends after 15 min without calls")
                    .contains("cancel off, transactions off, files on");
        }
    }

    @Test
    void callsNeedTheTokenAndStatementsReadNoFile() throws IOException {
        Path token = Files.createFile(
                folder.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a-long-token\n");
        try (Child server = Child.start(folder, "flight-server", "--token-file", token.toString())) {
            PoolConfig with = config().credentials(
                            () -> CompletableFuture.completedFuture(new Credential(null, "a-long-token")))
                    .build();
            PoolConfig without = config().acquireTimeout(Duration.ofSeconds(2)).build();
            try (FlightSqlPool pool = new FlightSqlPool(endpoint(server), with);
                    FlightSqlPool stranger = new FlightSqlPool(endpoint(server), without)) {
                assertThat(number(pool, "SELECT 7")).isEqualTo(7);
                assertThatThrownBy(() -> number(pool, "SELECT count(*) FROM read_text('" + token + "')"))
                        .hasMessageContaining("disabled");
                assertThatThrownBy(() -> number(stranger, "SELECT 7")).isInstanceOf(RuntimeException.class);
            }
            assertThat(server.printed())
                    .contains("Every call needs the bearer token in " + token)
                    .doesNotContain("a-long-token");
        }
    }

    @Test
    void whatKeepsItFromStartingIsSaidInOneLine() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Shell shell = Shell.piped();
            assertThat(shell.run("flight-server", "--port", "" + taken.getLocalPort()))
                    .isEqualTo(1);
            assertThat(shell.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("reservoir: the server cannot listen at port " + taken.getLocalPort())
                    .endsWith("; see --port and --address");
        }
        Shell shell = Shell.piped();
        assertThat(shell.run(
                        "flight-server", "--database", folder.resolve("no/such").toString()))
                .isEqualTo(1);
        assertThat(shell.err().lines())
                .singleElement()
                .asString()
                .startsWith("reservoir: the server did not start: ")
                .contains("no/such")
                .endsWith("; see --database");
    }
}
