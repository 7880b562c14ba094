package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteException;
import java.time.Duration;
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
