package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.HealthEvent;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.model.HealthCheckType;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Health checks of real servers. */
class HealthTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    private final LocalPostgres postgres = PostgresServer.shared();
    private final RemoteConnectionPoolRegistry registry = PostgresServer.registry();
    private final List<HealthEvent> events = new CopyOnWriteArrayList<>();
    private String role;

    @BeforeEach
    void role() {
        role = PostgresServer.role(postgres, "secret");
        registry.addHealthListener(events::add);
    }

    @AfterEach
    void close() {
        registry.close(Duration.ZERO);
    }

    private void register(String name, int port, HealthCheckType type) throws RemoteException {
        register(name, port, type, Duration.ofMillis(100));
    }

    private void register(String name, int port, HealthCheckType type, Duration interval) throws RemoteException {
        registry.registerServer(PostgresServer.definition(name, port)
                .pool(PostgresServer.pool(0, 2)
                        .connectTimeout(Duration.ofSeconds(1))
                        .build())
                .health(PostgresServer.health()
                        .type(type)
                        .interval(interval)
                        .timeout(Duration.ofSeconds(1))
                        .build())
                .build());
        registry.addMapping(PostgresServer.mapping(name, "ann", role, "secret"));
    }

    @ParameterizedTest
    @EnumSource(HealthCheckType.class)
    void eachTypeOfCheckFindsAGoodServerHealthy(HealthCheckType type) throws RemoteException {
        register("pg", postgres.port(), type);
        assertThat(registry.checkNow("pg")).isTrue();
        assertThat(registry.serverHealth("pg").checks()).isEqualTo(1);
        assertThat(registry.isServerHealthy("pg")).isTrue();
    }

    @Test
    void aServerThatIsAwayIsRefusedAtOnceAfterThreeFailuresAndComesBackByItself() throws Exception {
        try (LocalPostgres own = LocalPostgres.start()) {
            PostgresServer.execute(own, "CREATE ROLE " + role + " LOGIN PASSWORD 'secret'");
            register("own", own.port(), HealthCheckType.PING, Duration.ofSeconds(3));
            registry.acquire("own", "ann", LONG).close();
            own.stop();

            assertThat(registry.checkNow("own")).isFalse();
            assertThat(registry.checkNow("own")).isFalse();
            assertThat(registry.isServerHealthy("own"))
                    .as("two failures are not three")
                    .isTrue();
            assertThat(registry.checkNow("own")).isFalse();
            assertThat(registry.isServerHealthy("own")).isFalse();
            long begun = System.nanoTime();
            assertThatThrownBy(() -> registry.acquire("own", "ann", LONG))
                    .hasMessageStartingWith("RD006")
                    .hasMessageContaining("unhealthy since");
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(1));

            own.startAgain();
            registry.startHealthChecker();
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> registry.isServerHealthy("own"));
            registry.acquire("own", "ann", LONG).close();
            Awaitility.await().until(() -> events.size() == 2);
            assertThat(events).extracting(HealthEvent::healthy).containsExactly(false, true);
        }
    }

    @Test
    void withoutAHealthCheckerProbesOfCallersBringAServerBack() throws Exception {
        register("pg", postgres.port(), HealthCheckType.PING, Duration.ofSeconds(1));
        registry.markUnhealthy("pg", "by hand");
        assertThatThrownBy(() -> registry.acquire("pg", "ann", LONG))
                .hasMessageStartingWith("RD006")
                .hasMessageContaining("by hand");

        Awaitility.await().atMost(LONG).until(() -> {
            try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
                return !connection.isReleased() && registry.isServerHealthy("pg");
            } catch (RemoteException refused) {
                return false;
            }
        });
        registry.markUnhealthy("pg", "again");
        registry.markHealthy("pg");
        registry.acquire("pg", "ann", LONG).close();
    }

    @Test
    void probesOfCallersWithShortTimeoutsBringAServerBack() throws Exception {
        register("pg", postgres.port(), HealthCheckType.PING, Duration.ofSeconds(1));
        registry.acquire("pg", "ann", LONG).close();
        registry.markUnhealthy("pg", "by hand");
        Awaitility.await().atMost(LONG).until(() -> {
            try (PooledRemoteConnection connection = registry.acquire("pg", "ann", Duration.ofMillis(900))) {
                return !connection.isReleased() && registry.isServerHealthy("pg");
            } catch (RemoteException refused) {
                return false;
            }
        });
        assertThat(registry.serverHealth("pg").checks()).isPositive();
    }

    @Test
    void aUserWithoutAMappingTakesTheProbeFromNobody() throws Exception {
        register("pg", postgres.port(), HealthCheckType.PING, Duration.ofMinutes(1));
        registry.markUnhealthy("pg", "by hand");
        assertThatThrownBy(() -> registry.acquire("pg", "ann", LONG)).hasMessageStartingWith("RD006");
        assertThatThrownBy(() -> registry.acquire("pg", "bob", LONG)).hasMessageStartingWith("RD031");
    }

    @Test
    void aBlackHoledServerDelaysNoOtherAndNoCallerPastItsDeadline() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            register("silent", silent.getLocalPort(), HealthCheckType.QUERY);
            register("pg", postgres.port(), HealthCheckType.QUERY);
            registry.startHealthChecker();
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> registry.serverHealth("pg").checks() >= 5);
            Awaitility.await().atMost(LONG).until(() -> !registry.isServerHealthy("silent"));
            assertThat(registry.isServerHealthy("pg")).isTrue();

            registry.stopHealthChecker();
            registry.markHealthy("silent");
            long begun = System.nanoTime();
            assertThatThrownBy(() -> registry.acquire("silent", "ann", Duration.ofMillis(1500)))
                    .isInstanceOf(RemoteException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofMillis(4500));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void checksWorkWhileAllPlacesAreTakenAndLogInWithTheMonitorMapping() throws Exception {
        String monitor = PostgresServer.role(postgres, "monitor");
        register("pg", postgres.port(), HealthCheckType.PING);
        registry.addMapping(PostgresServer.mapping("pg", "watcher", monitor, "monitor"));
        registry.updateServer(registry.serverDefinition("pg").toBuilder()
                .health(registry.serverDefinition("pg").health().toBuilder()
                        .user("watcher")
                        .build())
                .build());
        try (PooledRemoteConnection a = registry.acquire("pg", "ann", LONG);
                PooledRemoteConnection b = registry.acquire("pg", "ann", LONG)) {
            assertThat(List.of(a, b)).hasSize(2);
            assertThat(registry.checkNow("pg")).isTrue();
            assertThat(PostgresServer.sessions(postgres, monitor)).isEqualTo(1);
            assertThat(PostgresServer.sessions(postgres, role))
                    .as("the check takes no place from the users")
                    .isEqualTo(2);
        }
    }

    @Test
    void aChangeOfAnotherMappingLeavesTheConnectionOfTheChecks() throws Exception {
        String other = PostgresServer.role(postgres, "other");
        register("pg", postgres.port(), HealthCheckType.PING);
        assertThat(registry.checkNow("pg")).isTrue();
        String pid = monitorPid();

        registry.addMapping(PostgresServer.mapping("pg", "bob", other, "other"));
        registry.removeMapping("pg", "bob");
        assertThat(registry.checkNow("pg")).isTrue();
        assertThat(monitorPid()).isEqualTo(pid);

        registry.addMapping(PostgresServer.mapping("pg", "aaa", other, "other"));
        assertThat(registry.checkNow("pg")).isTrue();
        Awaitility.await().atMost(LONG).until(() -> PostgresServer.sessions(postgres, role) == 0);
        assertThat(PostgresServer.sessions(postgres, other))
                .as("the first mapping is that of the checks")
                .isEqualTo(1);
    }

    private String monitorPid() throws SQLException {
        try (Connection connection = postgres.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT string_agg(pid::text, ',') FROM pg_stat_activity WHERE usename = '" + role + "'")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void aCheckThatAChangeEndsIsNoFailure() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            registry.registerServer(PostgresServer.definition("silent", silent.getLocalPort())
                    .health(PostgresServer.health().timeout(LONG).build())
                    .build());
            registry.addMapping(PostgresServer.mapping("silent", "ann", role, "secret"));
            CompletableFuture<Boolean> check = CompletableFuture.supplyAsync(() -> {
                try {
                    return registry.checkNow("silent");
                } catch (RemoteException e) {
                    throw new IllegalStateException(e);
                }
            });
            silent.setSoTimeout(10_000);
            try (Socket connecting = silent.accept()) {
                registry.updateMapping(PostgresServer.mapping("silent", "ann", role, "another"));
                check.get(9, TimeUnit.SECONDS);
                assertThat(connecting.isConnected()).isTrue();
            }
            assertThat(registry.serverHealth("silent").failedChecks()).isZero();
        }
    }

    @Test
    void aMonitorThatCannotLogInDoesNotStopTheUsers() throws Exception {
        register("pg", postgres.port(), HealthCheckType.PING);
        registry.addMapping(PostgresServer.mapping("pg", "a-monitor", role, "wrong"));
        for (int i = 0; i < 5; i++) {
            assertThat(registry.checkNow("pg"))
                    .as("the server answers, but the check learns no more")
                    .isFalse();
        }
        assertThat(registry.isServerHealthy("pg")).isTrue();
        assertThat(registry.serverHealth("pg").checks()).isZero();
        assertThat(registry.serverHealth("pg").failedChecks()).isZero();
        registry.acquire("pg", "ann", LONG).close();
    }

    @Test
    void aMonitorWhoseSecretCannotBeReadGivesWayToAnother() throws Exception {
        register("pg", postgres.port(), HealthCheckType.PING);
        registry.addMapping(UserMapping.builder("pg", "a-monitor")
                .remoteUser(role)
                .remotePassword(Secret.environment("RESERVOIR_TEST_NOT_SET"))
                .build());
        assertThat(registry.checkNow("pg")).isFalse();
        assertThat(registry.checkNow("pg")).as("with the mapping of ann").isTrue();
        assertThat(registry.serverHealth("pg").failedChecks()).isZero();
    }

    @Test
    void aNewMappingAndAChangedIntervalNeedNotWaitForTheOldInterval() throws Exception {
        registry.startHealthChecker();
        register("pg", postgres.port(), HealthCheckType.PING, Duration.ofMinutes(10));
        Awaitility.await().atMost(LONG).until(() -> registry.serverHealth("pg").checks() >= 1);
        ServerDefinition server = registry.serverDefinition("pg");
        registry.updateServer(server.toBuilder()
                .health(server.health().toBuilder()
                        .interval(Duration.ofMillis(100))
                        .build())
                .build());
        Awaitility.await().atMost(LONG).until(() -> registry.serverHealth("pg").checks() >= 3);
    }

    @Test
    void aServerWithoutMappingsIsNotChecked() throws Exception {
        registry.registerServer(
                PostgresServer.definition("alone", postgres.port()).build());
        assertThat(registry.checkNow("alone")).isFalse();
        assertThat(registry.serverHealth("alone").checks()).isZero();
        assertThat(registry.serverHealth("alone").failedChecks()).isZero();
    }
}
