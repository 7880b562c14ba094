package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.adapter.RemoteCursor;
import dev.reservoir.remote.adapter.RemoteStatement;
import dev.reservoir.remote.model.ConnectionState;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A caller that has released a connection cannot reach it any more. With a real PostgreSQL. */
class ReleasedConnectionTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    private final LocalPostgres postgres = PostgresServer.shared();
    private final RemoteConnectionPoolRegistry registry = PostgresServer.registry();
    private final String role = PostgresServer.role(postgres, "secret");

    @BeforeEach
    void register() throws RemoteException {
        registry.registerServer(PostgresServer.definition("pg", postgres.port())
                .pool(PostgresServer.pool(0, 1).build())
                .build());
        registry.addMapping(PostgresServer.mapping("pg", "ann", role, "secret"));
    }

    @AfterEach
    void close() {
        registry.close(Duration.ZERO);
    }

    @Test
    void closingTheJdbcConnectionReleasesTheSession() throws Exception {
        PooledRemoteConnection first = registry.acquire("pg", "ann", LONG);
        first.query("SELECT 1");
        first.connection().close();
        try (PooledRemoteConnection second = registry.acquire("pg", "ann", LONG)) {
            assertThatThrownBy(() -> first.query("SELECT 1")).hasMessageContaining("was released");
            assertThatThrownBy(first::connection).isInstanceOf(IllegalStateException.class);
            assertThat(first.isReleased()).isTrue();
            assertThat(first.state()).isEqualTo(ConnectionState.DISCONNECTED);
            first.release();
            assertThat(second.isValid(LONG))
                    .as("a second release takes nothing from the next user")
                    .isTrue();
        }
    }

    @Test
    void closingTheJdbcConnectionBeforeTheFirstOperationReleasesTheSession() throws Exception {
        PooledRemoteConnection first = registry.acquire("pg", "ann", LONG);
        first.connection().close();
        assertThat(first.isReleased()).isTrue();
        assertThatThrownBy(() -> first.query("SELECT 1")).isInstanceOf(RemoteException.class);
    }

    @Test
    void aConnectionThatTheDriverClosedIsStillInUse() throws Exception {
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            Connection jdbc = connection.connection();
            connection.query("SELECT 1");
            PostgresServer.execute(
                    postgres, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + role + "'");
            assertThatThrownBy(() -> connection.query("SELECT 1")).isInstanceOf(RemoteException.class);
            assertThat(connection.isReleased()).isFalse();
            assertThat(connection.connection()).isSameAs(jdbc);
        }
    }

    @Test
    void statementsAndCursorsEndWithTheRelease() throws Exception {
        PooledRemoteConnection first = registry.acquire("pg", "ann", LONG);
        RemoteStatement statement = first.prepare("SELECT 1");
        assertThat(statement.query().rows()).hasSize(1);
        RemoteCursor cursor = first.openCursor("SELECT generate_series(1, 10)", 2);
        assertThat(cursor.fetch()).hasSize(2);
        first.release();

        assertThatThrownBy(statement::query).hasMessageContaining("was released");
        assertThatThrownBy(statement::update).hasMessageContaining("was released");
        assertThatThrownBy(cursor::fetch).hasMessageContaining("was released");
        assertThatThrownBy(cursor::columns).hasMessageContaining("was released");
        assertThatThrownBy(cursor::fetchSize).hasMessageContaining("was released");
        assertThatThrownBy(first::markFailed).hasMessageContaining("was released");
        statement.close();
        cursor.close();
        assertThatTheConnectionSurvived();
    }

    @Test
    void noUpdateIsLostIfACursorIsLeftOpen() throws Exception {
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            connection.update("CREATE TEMPORARY TABLE notes (n int)");
            RemoteStatement insert = connection.prepare("INSERT INTO notes VALUES (2)");
            RemoteCursor cursor = connection.openCursor("SELECT generate_series(1, 10)", 2);
            assertThat(cursor.fetch()).hasSize(2);
            assertThatThrownBy(() -> connection.update("INSERT INTO notes VALUES (1)"))
                    .isInstanceOfSatisfying(
                            RemoteException.class,
                            refused -> assertThat(refused.code()).isEqualTo(RemoteErrorCode.CURSOR_ERROR))
                    .hasMessageContaining("begin a transaction");
            assertThatThrownBy(insert::update).hasMessageContaining("begin a transaction");
            assertThatThrownBy(() -> connection.query("INSERT INTO notes VALUES (3) RETURNING n"))
                    .hasMessageContaining("begin a transaction");
            assertThat(cursor.fetch()).as("the cursor goes on").hasSize(2);
            cursor.close();
            insert.update();
            assertThat(connection.query("SELECT n FROM notes").rows()).hasSize(1);
        }
        assertThatTheConnectionSurvived();
    }

    @Test
    void aCommitEndsTheCursorOfItsTransaction() throws Exception {
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            RemoteCursor cursor = connection.openCursor("SELECT generate_series(1, 10)", 2);
            assertThat(cursor.fetch()).hasSize(2);
            connection.commit();
            cursor.close();
            assertThat(connection.query("SELECT 1").rows()).hasSize(1);
        }
        assertThatTheConnectionSurvived();
    }

    private void assertThatTheConnectionSurvived() throws Exception {
        assertThat(registry.serverStats("pg").users().get(0).connectionsDestroyed())
                .isZero();
        try (PooledRemoteConnection next = registry.acquire("pg", "ann", LONG)) {
            assertThat(next.query("SELECT 1").rows()).hasSize(1);
        }
        assertThat(registry.serverStats("pg").users().get(0).connectionsCreated())
                .isEqualTo(1);
    }

    @Test
    void aReleaseDuringAStatementClosesTheConnection() throws Exception {
        PooledRemoteConnection first = registry.acquire("pg", "ann", LONG);
        RemoteStatement statement = first.prepare("SELECT pg_sleep(60)");
        CompletableFuture<Void> running = CompletableFuture.runAsync(
                () -> assertThatThrownBy(statement::query).isInstanceOf(RemoteException.class));
        Awaitility.await().atMost(LONG).until(() -> first.state() == ConnectionState.EXECUTING);

        first.release();

        running.get(10, java.util.concurrent.TimeUnit.SECONDS);
        Awaitility.await()
                .atMost(LONG)
                .until(() -> registry.serverStats("pg").users().get(0).connectionsDestroyed() == 1);
    }
}
