package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * The life of a connection: order of releases, lifetime, validation, idle timeout and leaks. With a real PostgreSQL.
 */
class LifecycleTest {
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
                .pool(pool.build())
                .build());
        registry.addMapping(PostgresServer.mapping("pg", "ann", role, "secret"));
    }

    private static int pid(PooledRemoteConnection connection) throws RemoteException {
        return ((Number) connection
                        .query("SELECT pg_backend_pid()")
                        .rows()
                        .get(0)
                        .get(0))
                .intValue();
    }

    @Test
    void connectionsComeBackInAnyOrderWhileOthersAreClosed() throws Exception {
        register(PostgresServer.pool(0, 5));
        List<PooledRemoteConnection> held = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            held.add(registry.acquire("pg", "ann", LONG));
        }
        Set<Integer> kept = new HashSet<>();
        for (int i : new int[] {3, 0, 4, 1, 2}) {
            PooledRemoteConnection connection = held.get(i);
            int pid = pid(connection);
            if (i % 2 == 0) {
                connection.markFailed();
            } else {
                kept.add(pid);
            }
            connection.release();
        }
        Awaitility.await().until(() -> PostgresServer.sessions(postgres, role) == 2);
        try (PooledRemoteConnection a = registry.acquire("pg", "ann", LONG);
                PooledRemoteConnection b = registry.acquire("pg", "ann", LONG)) {
            assertThat(Set.of(pid(a), pid(b))).isEqualTo(kept);
        }
    }

    @Test
    void aConnectionIsReplacedAtTheEndOfItsLifetime() throws Exception {
        register(PostgresServer.pool(1, 2).maxLifetime(Duration.ofSeconds(1)));
        int first;
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            first = pid(connection);
        }
        Awaitility.await().atMost(LONG).until(() -> {
            try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
                return pid(connection) != first;
            }
        });
    }

    @Test
    void aValidationAtTheAcquireFindsADeadConnection() throws Exception {
        register(PostgresServer.pool(0, 2).validateOnAcquire(true));
        registry.acquire("pg", "ann", LONG).close();
        for (int i = 0; i < 3; i++) {
            PostgresServer.execute(
                    postgres, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + role + "'");
            try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
                assertThat(pid(connection)).isPositive();
            }
        }
    }

    @Test
    void aValidationAtTheReleaseClosesADeadConnection() throws Exception {
        register(PostgresServer.pool(0, 2).validateOnRelease(true));
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            pid(connection);
            PostgresServer.execute(
                    postgres, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + role + "'");
        }
        Awaitility.await().until(() -> registry.serverStats("pg").users().get(0).connectionsDestroyed() == 1);
        registry.acquire("pg", "ann", LONG).close();
    }

    @Test
    void idleConnectionsCloseDownToTheMinimum() throws Exception {
        register(PostgresServer.pool(1, 4).idleTimeout(Duration.ofMillis(500)));
        assertThat(registry.warmupServer("pg", 3)).isTrue();
        Awaitility.await()
                .atMost(Duration.ofSeconds(40))
                .until(() -> registry.serverStats("pg").totalConnections() == 1);
        assertThat(registry.serverStats("pg").totalUserPools()).isEqualTo(1);
    }

    @Test
    void aWarmUpOpensOnlyWhatIsMissing() throws Exception {
        register(PostgresServer.pool(0, 10));
        registry.addMapping(PostgresServer.mapping("pg", "bob", role, "secret"));
        registry.addMapping(PostgresServer.mapping("pg", "eve", role, "secret"));
        assertThat(registry.warmupServer("pg", 1)).isTrue();
        assertThat(registry.serverStats("pg").totalUserPools())
                .as("users that get no connection")
                .isEqualTo(1);

        try (PooledRemoteConnection a = registry.acquire("pg", "eve", LONG);
                PooledRemoteConnection b = registry.acquire("pg", "eve", LONG)) {
            assertThat(a.isReleased() || b.isReleased()).isFalse();
            assertThat(registry.warmupServer("pg", 5)).isTrue();
            ServerPoolStats stats = registry.serverStats("pg");
            assertThat(stats.totalConnections() + stats.openingConnections()).isEqualTo(5);
            assertThat(registry.warmupServer("pg", 5)).as("nothing is missing").isTrue();
            assertThat(registry.serverStats("pg").totalConnections()).isEqualTo(5);
        }
    }

    @Test
    void aForgottenConnectionIsReportedWithThePlaceThatAcquiredIt() throws Exception {
        List<String> places = new CopyOnWriteArrayList<>();
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                String line = event.getFormattedMessage();
                if (line.contains("in use for too long") && line.contains("pg.ann")) {
                    places.add(ThrowableProxyUtil.asString(event.getThrowableProxy()));
                }
            }
        };
        Logger logger = (Logger) LoggerFactory.getLogger("dev.reservoir");
        appender.setContext(logger.getLoggerContext());
        appender.start();
        logger.addAppender(appender);
        try {
            register(PostgresServer.pool(0, 2).leakDetectionThreshold(Duration.ofMillis(200)));
            try (PooledRemoteConnection forgotten = registry.acquire("pg", "ann", LONG)) {
                assertThat(forgotten.isReleased()).isFalse();
                Awaitility.await().atMost(LONG).until(() -> !places.isEmpty());
            }
            assertThat(places.get(0)).contains("LifecycleTest.aForgottenConnectionIsReported");
        } finally {
            logger.detachAppender(appender);
            appender.stop();
        }
    }
}
