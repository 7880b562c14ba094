package dev.reservoir.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reservoir.core.InUseReport;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import dev.reservoir.jdbc.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Reservoirs in one process are independent, and each can list the callers that hold its connections. */
class SeveralReservoirsTest {
    private static final int POOL = 5;

    @BeforeAll
    static void makeDatabases() throws SQLException {
        try (Backends backends = Backends.of(TestPostgres.url())) {
            for (String side : List.of("north", "south")) {
                backends.execute("create role " + side + "_user login password '" + side + "'");
                backends.execute("create database " + side + "_db owner " + side + "_user");
            }
        }
    }

    @AfterAll
    static void dropDatabases() throws SQLException {
        try (Backends backends = Backends.of(TestPostgres.url())) {
            for (String side : List.of("north", "south")) {
                backends.execute("drop database " + side + "_db with (force)");
                backends.execute("drop role " + side + "_user");
            }
        }
    }

    private static ReservoirDataSourceBuilder of(String side) {
        String url = "jdbc:postgresql://localhost:" + TestPostgres.port() + "/" + side + "_db";
        return Pools.named(side, url).username(side + "_user").password(side).maxOpen(POOL);
    }

    @Test
    void twoOfThemUnderLoadNeverMixTheirConnections() throws Exception {
        try (Backends backends = Backends.of(TestPostgres.url());
                ReservoirDataSource north = of("north").build();
                ReservoirDataSource south = of("south").build()) {
            try (Load inNorth = Load.start(north, 2, (connection, worker, round) -> expectIn("north", connection));
                    Load inSouth = Load.start(south, 2, (connection, worker, round) -> expectIn("south", connection))) {
                inNorth.awaitRounds(50);
                inSouth.awaitRounds(50);
                south.flush();
                backends.terminateAndAwait(backends.pids("south"));
                inSouth.awaitRounds(20);
                inNorth.stop();
                inSouth.stop();
                assertThat(inNorth.unexpected()).isEmpty();
                assertThat(inSouth.unexpected()).isEmpty();
                assertThat(inNorth.broken())
                        .as("errors in the one that was left alone")
                        .isEmpty();
            }
            Pools.awaitReady(north, POOL);
            Pools.awaitReady(south, POOL);
            assertThat(north.stats().opened()).isEqualTo(POOL);
            assertThat(north.stats().discards()).isEmpty();

            Pools.closeAndCheck(south, "south", backends);
            assertThat(backends.count("north")).isEqualTo(POOL);
            try (Connection connection = north.getConnection()) {
                expectIn("north", connection);
            }
            Pools.closeAndCheck(north, "north", backends);
        }
    }

    private static void expectIn(String side, Connection connection) throws SQLException {
        assertThat(Pools.text(connection, "select current_database() || ' ' || current_user"))
                .isEqualTo(side + "_db " + side + "_user");
    }

    @Test
    void theLeakReportNamesTheThreadAndThePlace() throws Exception {
        try (ReservoirDataSource pool = of("north")
                .maxOpen(1)
                .tracksCheckouts(true)
                .acquireTimeout(Duration.ofMillis(100))
                .build()) {
            assertThat(pool.checkouts(Duration.ZERO)).isEmpty();
            CompletableFuture<Connection> forgotten = new CompletableFuture<>();
            CompletableFuture<Void> end = new CompletableFuture<>();
            Thread thread = new Thread(() -> acquireAndForget(pool, forgotten, end), "forgetful-17");
            thread.setDaemon(true);
            thread.start();
            Connection connection = forgotten.get(Pools.PATIENCE.toSeconds(), TimeUnit.SECONDS);

            List<InUseReport> checkouts = pool.checkouts(Duration.ZERO);
            assertThat(checkouts).hasSize(1);
            assertThat(checkouts.get(0).thread()).isEqualTo("forgetful-17");
            assertThat(checkouts.get(0).stack())
                    .anySatisfy(frame -> assertThat(frame.getMethodName()).isEqualTo("acquireAndForget"));
            assertThat(pool.checkouts(Duration.ofHours(1))).isEmpty();
            SQLTransientConnectionException starved =
                    catchThrowableOfType(SQLTransientConnectionException.class, pool::getConnection);
            assertThat(starved.getMessage())
                    .contains("Limit reached: maxOpen (1). In use 1 of 1")
                    .contains("Longest in use: ")
                    .contains("forgetful-17");

            connection.close();
            end.complete(null);
            assertThat(pool.checkouts(Duration.ZERO)).isEmpty();
            Pools.useOnce(pool);
        }
    }

    private static void acquireAndForget(
            ReservoirDataSource pool, CompletableFuture<Connection> forgotten, CompletableFuture<Void> end) {
        try {
            forgotten.complete(pool.getConnection());
            end.join();
        } catch (SQLException e) {
            forgotten.completeExceptionally(e);
        }
    }
}
