package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.ConnectionDetails;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.adapter.RemoteCursor;
import dev.reservoir.remote.model.ConnectionState;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the registry reports about connections and statements, with a real PostgreSQL. */
class ReportsTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    private final LocalPostgres postgres = PostgresServer.shared();
    private final RemoteConnectionPoolRegistry registry = PostgresServer.registry();

    @AfterEach
    void close() {
        registry.close(Duration.ZERO);
    }

    private void register(PoolConfiguration.Builder pool) throws RemoteException {
        registry.registerServer(PostgresServer.definition("pg", postgres.port())
                .pool(pool.warmupOnCreate(false).build())
                .build());
        registry.addMapping(PostgresServer.mapping("pg", "ann", PostgresServer.role(postgres, "first"), "first"));
    }

    private ConnectionDetails only() throws RemoteException {
        assertThat(registry.connections("pg")).hasSize(1);
        return registry.connections("pg").get(0);
    }

    @Test
    void aConnectionShowsWhatItsSessionDoes() throws Exception {
        register(PostgresServer.pool(0, 1));
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            assertThat(only().state()).isEqualTo(ConnectionState.CONNECTED);
            assertThat(only().inUse()).isTrue();

            connection.begin();
            assertThat(only().state()).isEqualTo(ConnectionState.IN_TRANSACTION);

            CompletableFuture<Object> running = CompletableFuture.supplyAsync(() -> {
                try {
                    return connection.query("SELECT pg_sleep(60)");
                } catch (RemoteException e) {
                    return e;
                }
            });
            Awaitility.await().until(() -> only().state() == ConnectionState.EXECUTING);
            Awaitility.await().until(connection::cancel);
            assertThat(running.get(10, TimeUnit.SECONDS)).isInstanceOf(RemoteException.class);
            connection.rollback();

            try (RemoteCursor cursor = connection.openCursor("SELECT generate_series(1, 10)")) {
                assertThat(cursor.fetch()).isNotEmpty();
                assertThat(only().state()).isEqualTo(ConnectionState.IN_TRANSACTION);
            }
        }
        assertThat(only().state()).isEqualTo(ConnectionState.CONNECTED);
        assertThat(only().inUse()).isFalse();
    }

    @Test
    void aConnectionCountsItsStatementsAndShowsWhenItLastWorked() throws Exception {
        register(PostgresServer.pool(0, 1));
        Instant before = Instant.now();
        Instant released;
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            ConnectionDetails opened = only();
            assertThat(opened.lastValidatedAt()).isBetween(before, Instant.now());
            assertThat(opened.queries()).isZero();
            connection.query("SELECT 1");
            connection.query("SELECT 2");
            released = Instant.now();
        }
        assertThat(only().queries()).isEqualTo(2);
        assertThat(only().uses()).isEqualTo(1);
        // The clocks of the pool and of the machine may drift apart by a little.
        assertThat(only().lastValidatedAt()).isAfter(released.minusMillis(100));
        assertThat(only().markedForEviction()).isFalse();
    }

    @Test
    void aConnectionInUseShowsThatItClosesOnRelease() throws Exception {
        register(PostgresServer.pool(0, 2));
        long id;
        try (PooledRemoteConnection failed = registry.acquire("pg", "ann", LONG)) {
            failed.markFailed();
            assertThat(only().markedForEviction()).isTrue();
            id = only().id();
        }
        Awaitility.await().until(() -> registry.connections("pg").stream().noneMatch(one -> one.id() == id));
    }

    @Test
    void theNumberOfStatementsNeverFalls() throws Exception {
        register(PostgresServer.pool(0, 1));
        for (int i = 1; i <= 3; i++) {
            try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
                connection.query("SELECT 1");
                connection.markFailed();
            }
            assertThat(registry.serverStats("pg").queriesExecuted()).isEqualTo(i);
        }
        registry.removeMapping("pg", "ann");
        Awaitility.await().until(() -> registry.serverStats("pg").totalConnections() == 0);
        assertThat(registry.serverStats("pg").queriesExecuted()).isEqualTo(3);
        assertThat(registry.serverStats("pg").avgQueryTimeMs()).isPositive();
    }

    @Test
    void statisticsCanBeSwitchedOff() throws Exception {
        register(PostgresServer.pool(0, 1).collectStatistics(false).collectQueryStats(false));
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            connection.query("SELECT 1");
        }
        ServerPoolStats stats = registry.serverStats("pg");
        assertThat(stats.totalAcquires()).isEqualTo(1);
        assertThat(stats.queriesExecuted()).isZero();
        assertThat(stats.avgQueryTimeMs()).isZero();
        assertThat(stats.avgAcquireTimeMs()).isZero();
    }

    @Test
    void validateAllFindsConnectionsThatTheServerEnded() throws Exception {
        register(PostgresServer.pool(0, 2));
        registry.warmupServer("pg", 2);
        long first = registry.connections("pg").get(0).id();
        PostgresServer.execute(
                postgres,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '"
                        + registry.mappings("pg").get(0).remoteUser() + "'");
        registry.validateAll("pg");
        Awaitility.await().until(() -> registry.connections("pg").stream().noneMatch(one -> one.id() == first));
        assertThat(registry.serverStats("pg").users().get(0).validationFailures())
                .isPositive();
    }
}
