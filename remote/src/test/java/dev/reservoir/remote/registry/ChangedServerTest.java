package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which changes of a server keep its connections. With a real PostgreSQL. */
class ChangedServerTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    private final LocalPostgres postgres = PostgresServer.shared();
    private final RemoteConnectionPoolRegistry registry = PostgresServer.registry();
    private final String role = PostgresServer.role(postgres, "secret");

    @AfterEach
    void close() {
        registry.close(Duration.ZERO);
    }

    private void register(PoolConfiguration pool) throws RemoteException {
        registry.registerServer(
                PostgresServer.definition("pg", postgres.port()).pool(pool).build());
        registry.addMapping(PostgresServer.mapping("pg", "ann", role, "secret"));
    }

    private void change(PoolConfiguration pool) throws RemoteException {
        registry.updateServer(
                registry.serverDefinition("pg").toBuilder().pool(pool).build());
    }

    @Test
    void anotherMaximumKeepsTheConnectionsIfNeitherSizeWasGiven() throws Exception {
        register(PoolConfiguration.defaults());
        try (PooledRemoteConnection held = registry.acquire("pg", "ann", LONG)) {
            registry.setMaxConnections("pg", 7);
            ServerPoolStats stats = registry.serverStats("pg");
            assertThat(stats.maxConnections()).isEqualTo(7);
            assertThat(stats.drainingConnections()).isZero();
            assertThat(held.isValid(LONG)).isTrue();
        }
    }

    @Test
    void sizesThatWouldNotFitTheOldOptionsAreAccepted() throws Exception {
        register(PostgresServer.pool(0, 9).warmupConnections(8).build());
        registry.acquire("pg", "ann", LONG).close();

        change(PostgresServer.pool(0, 3).warmupConnections(2).build());

        assertThat(registry.serverStats("pg").maxConnections()).isEqualTo(3);
        registry.acquire("pg", "ann", LONG).close();
    }

    @Test
    void anotherTimeoutReplacesThePools() throws Exception {
        register(PostgresServer.pool(0, 3).build());
        try (PooledRemoteConnection held = registry.acquire("pg", "ann", LONG)) {
            change(PostgresServer.pool(0, 3).queryTimeout(LONG).build());
            assertThat(registry.serverStats("pg").drainingConnections()).isEqualTo(1);
            assertThat(held.isValid(LONG)).isTrue();
        }
    }
}
