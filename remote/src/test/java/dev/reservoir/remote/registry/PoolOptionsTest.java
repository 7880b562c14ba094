package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteException;
import java.sql.SQLException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Options of a server do what they say. With a real PostgreSQL. */
class PoolOptionsTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    private final LocalPostgres postgres = PostgresServer.shared();
    private final RemoteConnectionPoolRegistry registry = PostgresServer.registry();
    private final String role = PostgresServer.role(postgres, "secret");

    @AfterEach
    void close() {
        registry.close(Duration.ZERO);
    }

    private void register(PoolConfiguration.Builder pool) throws RemoteException {
        registry.registerServer(PostgresServer.definition("pg", postgres.port())
                .pool(pool.warmupOnCreate(false).build())
                .build());
        registry.addMapping(PostgresServer.mapping("pg", "ann", role, "secret"));
        registry.addMapping(PostgresServer.mapping("pg", "bob", role, "secret"));
    }

    /** With 2 per second, the third connect comes 1 second after the first. Without a limit it takes milliseconds. */
    @Test
    void theUsersOfAServerShareItsRateOfConnects() throws Exception {
        register(PostgresServer.pool(0, 5).connectionRateLimit(2));
        long begun = System.nanoTime();
        try (PooledRemoteConnection a = registry.acquire("pg", "ann", LONG);
                PooledRemoteConnection b = registry.acquire("pg", "bob", LONG);
                PooledRemoteConnection c = registry.acquire("pg", "ann", LONG)) {
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            assertThat(took).isGreaterThan(Duration.ofMillis(900));
            assertThat(PostgresServer.sessions(postgres, role)).isEqualTo(3);
            assertThat(a.serverName() + b.localUser() + c.localUser()).isEqualTo("pgbobann");
        }
    }

    @Test
    void aConnectionThatWasIdleForTheIntervalIsValidated() throws Exception {
        register(PostgresServer.pool(0, 1).validationInterval(Duration.ofSeconds(1)));
        releaseAndBreak();
        long brokenNanos = System.nanoTime();
        Awaitility.await()
                .atMost(LONG)
                .until(() -> System.nanoTime() - brokenNanos
                        > Duration.ofMillis(1100).toNanos());
        try (PooledRemoteConnection next = registry.acquire("pg", "ann", LONG)) {
            assertThat(next.query("SELECT 1").rows()).hasSize(1);
        }
        assertThat(registry.serverStats("pg").users().get(0).connectionsCreated())
                .isEqualTo(2);
    }

    @Test
    void aConnectionThatWasIdleForLessIsNotValidated() throws Exception {
        register(PostgresServer.pool(0, 1).validationInterval(Duration.ofHours(1)));
        releaseAndBreak();
        try (PooledRemoteConnection next = registry.acquire("pg", "ann", LONG)) {
            assertThatThrownBy(() -> next.query("SELECT 1")).isInstanceOf(RemoteException.class);
        }
    }

    /** Leaves an idle connection behind that the server has ended. */
    private void releaseAndBreak() throws SQLException {
        registry.acquire("pg", "ann", LONG).release();
        PostgresServer.execute(
                postgres, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + role + "'");
        Awaitility.await().atMost(LONG).until(() -> PostgresServer.sessions(postgres, role) == 0);
    }

    @Test
    void timesBeyondAllBoundsAreAccepted() throws Exception {
        Duration forever = Duration.ofSeconds(Long.MAX_VALUE);
        Duration longAgo = Duration.ofSeconds(Long.MIN_VALUE);
        register(PostgresServer.pool(0, 1));
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", forever)) {
            connection.ping(forever);
            assertThatThrownBy(() -> registry.acquire("pg", "ann", longAgo)).hasMessageStartingWith("RD005");
            assertThatThrownBy(() -> connection.setQueryTimeout(forever)).hasMessageStartingWith("RD032");
        }
        registry.unregisterServer("pg", forever);
        registry.close(forever);
    }
}
