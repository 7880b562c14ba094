package dev.reservoir.jdbc.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.jdbc.TestMariaDb;
import dev.reservoir.jdbc.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sessions that a server reports: which it has, and which wait for a command. */
@Timeout(120)
class ServerSessionsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Opens a connection of a driver. */
    @FunctionalInterface
    private interface Opening {
        Connection open() throws SQLException;
    }

    @Test
    void postgresqlTellsIdleSessionsFromThoseAtWork() throws Exception {
        check(TestPostgres::open, ServerSessions.POSTGRESQL, "select pg_sleep(3)");
    }

    @Test
    void mariaDbTellsIdleSessionsFromThoseAtWork() throws Exception {
        TestMariaDb.assumeAvailable();
        check(TestMariaDb::open, ServerSessions.MARIADB, "select sleep(3)");
    }

    private static void check(Opening opening, ServerSessions expected, String longStatement) throws Exception {
        try (Connection asking = opening.open();
                Connection idle = opening.open();
                Connection working = opening.open();
                Statement statement = working.createStatement()) {
            assertThat(ServerSessions.of(asking)).isEqualTo(expected);
            ServerSessions.Id own = expected.session(asking);
            ServerSessions.Id idler = expected.session(idle);
            ServerSessions.Id worker = expected.session(working);
            assertThat(own.server()).isNotBlank().isEqualTo(idler.server()).isEqualTo(worker.server());
            assertThat(own.number()).isNotEqualTo(idler.number());

            CompletableFuture<Boolean> work = CompletableFuture.supplyAsync(
                    () -> run(statement, longStatement), task -> new Thread(task).start());
            await("idle for a second")
                    .atMost(PATIENCE)
                    .until(() -> expected.sessions(asking, own.number()).getOrDefault(idler.number(), false));
            if (!work.isDone()) {
                assertThat(expected.sessions(asking, own.number())).containsEntry(worker.number(), false);
            }
            assertThat(expected.sessions(asking, own.number())).containsEntry(own.number(), false);
            assertThat(work.get()).isTrue();

            end(idle);
            await("forgotten")
                    .atMost(PATIENCE)
                    .until(() -> !expected.sessions(asking, own.number()).containsKey(idler.number()));
        }
    }

    private static void end(Connection connection) throws SQLException {
        connection.close();
    }

    private static boolean run(Statement statement, String sql) {
        try {
            return statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
