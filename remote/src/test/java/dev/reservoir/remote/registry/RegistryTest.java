package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.ConnectionDetails;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RegistryStats;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.UserMapping;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The registry with a real PostgreSQL. */
class RegistryTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(10);

    private final LocalPostgres postgres = PostgresServer.shared();
    private final RemoteConnectionPoolRegistry registry = PostgresServer.registry();
    private String role;

    @BeforeEach
    void register() throws RemoteException {
        role = PostgresServer.role(postgres, "first");
        registry.registerServer(PostgresServer.definition("pg", postgres.port())
                .pool(PostgresServer.pool(1, 4).build())
                .build());
        registry.addMapping(PostgresServer.mapping("pg", "ann", role, "first"));
    }

    @AfterEach
    void close() {
        registry.close(Duration.ZERO);
    }

    private static String one(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private void assertCode(RemoteErrorCode code, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .asInstanceOf(type(RemoteException.class))
                .extracting(RemoteException::code)
                .isEqualTo(code);
    }

    @Test
    void anAcquiredConnectionWorksAndIsReusedAfterItsRelease() throws Exception {
        String first;
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            assertThat(connection.serverName()).isEqualTo("pg");
            assertThat(connection.localUser()).isEqualTo("ann");
            assertThat(connection.query("SELECT current_user").rows().get(0)).containsExactly(role);
            assertThat(connection.isValid(LONG)).isTrue();
            first = one(connection.connection(), "SELECT pg_backend_pid()");
        }
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            assertThat(one(connection.connection(), "SELECT pg_backend_pid()")).isEqualTo(first);
        }
    }

    @Test
    void theUseOfAReleasedConnectionIsAnError() throws Exception {
        PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG);
        Connection jdbc = connection.connection();
        connection.query("SELECT 1");
        registry.release(connection);
        connection.release();

        assertThatThrownBy(() -> connection.query("SELECT 1")).hasMessageContaining("was released");
        assertThatThrownBy(connection::connection).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(jdbc::createStatement).isInstanceOf(SQLException.class);
        assertThat(connection.isValid(LONG)).isFalse();
        assertThat(registry.serverStats("pg").activeConnections()).isZero();
    }

    @Test
    void anUnknownServerAndAUserWithoutMappingAreRefusedAtOnce() {
        assertCode(RemoteErrorCode.SERVER_NOT_FOUND, () -> registry.acquire("nowhere", "ann", LONG));
        assertCode(RemoteErrorCode.USER_MAPPING_NOT_FOUND, () -> registry.acquire("pg", "bob", LONG));
    }

    @Test
    void usersWithoutAMappingShareThePoolOfPublic() throws Exception {
        registry.addMapping(UserMapping.forPublic("pg")
                .remoteUser(role)
                .remotePassword(dev.reservoir.remote.model.Secret.literal("first"))
                .build());
        registry.acquire("pg", "bob", LONG).close();
        registry.acquire("pg", "eve", LONG).close();

        assertThat(registry.serverStats("pg").users()).hasSize(1);
        assertThat(registry.serverStats("pg").users().get(0).localUser()).isEqualTo("PUBLIC");
        assertThat(registry.serverStats("pg").totalConnections()).isEqualTo(1);
    }

    @Test
    void anAcquireNeverUsesARememberedPoolOfAnEarlierMapping() throws Exception {
        String shared = PostgresServer.role(postgres, "first");
        String own = PostgresServer.role(postgres, "first");
        registry.addMapping(UserMapping.forPublic("pg")
                .remoteUser(shared)
                .remotePassword(dev.reservoir.remote.model.Secret.literal("first"))
                .build());
        assertThat(remoteUserOf("bob")).isEqualTo(shared);
        registry.addMapping(PostgresServer.mapping("pg", "bob", own, "first"));
        assertThat(remoteUserOf("bob")).isEqualTo(own);
        registry.updateMapping(PostgresServer.mapping("pg", "bob", role, "first"));
        assertThat(remoteUserOf("bob")).isEqualTo(role);
        registry.removeMapping("pg", "bob");
        assertThat(remoteUserOf("bob")).isEqualTo(shared);
        registry.unregisterServer("pg", Duration.ZERO);
        assertCode(RemoteErrorCode.SERVER_NOT_FOUND, () -> registry.acquire("pg", "bob", LONG));
    }

    /** Acquires twice, so that the second acquire finds what the first one remembered. */
    private String remoteUserOf(String localUser) throws RemoteException {
        registry.acquire("pg", localUser, LONG).close();
        try (PooledRemoteConnection connection = registry.acquire("pg", localUser, LONG)) {
            return connection.remoteUser();
        }
    }

    @Test
    void aFullServerIsAnErrorAtTheDeadlineThatNamesTheLimit() throws Exception {
        registry.addMapping(PostgresServer.mapping("pg", "bob", role, "first"));
        List<PooledRemoteConnection> held = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            held.add(registry.acquire("pg", i % 2 == 0 ? "ann" : "bob", LONG));
        }
        long begun = System.nanoTime();

        assertThatThrownBy(() -> registry.acquire("pg", "ann", SHORT))
                .isInstanceOf(RemoteException.class)
                .hasMessageStartingWith("RD005")
                .hasMessageContaining("max_connections")
                .hasMessageContaining("4");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isBetween(SHORT, SHORT.plusSeconds(3));
        assertThat(PostgresServer.sessions(postgres, role)).isEqualTo(4);
        held.forEach(PooledRemoteConnection::release);
        registry.acquire("pg", "ann", LONG).close();
    }

    @Test
    void aWrongPasswordIsRefusedQuicklyAndTheRightOneWorksLater() throws Exception {
        registry.addMapping(PostgresServer.mapping("pg", "bob", role, "wrong"));
        long begun = System.nanoTime();
        assertCode(RemoteErrorCode.AUTHENTICATION_FAILED, () -> registry.acquire("pg", "bob", LONG));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(3));

        registry.updateMapping(PostgresServer.mapping("pg", "bob", role, "first"));
        registry.acquire("pg", "bob", LONG).close();
    }

    @Test
    void aPasswordThatTheServerAcceptsLaterWorksWithoutAChangeHere() throws Exception {
        registry.addMapping(PostgresServer.mapping("pg", "bob", role, "second"));
        assertCode(RemoteErrorCode.AUTHENTICATION_FAILED, () -> registry.acquire("pg", "bob", LONG));

        PostgresServer.execute(postgres, "ALTER ROLE " + role + " PASSWORD 'second'");
        Awaitility.await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> {
            registry.acquire("pg", "bob", LONG).close();
            return true;
        });
    }

    @Test
    void aChangedMappingDrainsTheOldConnections() throws Exception {
        String other = PostgresServer.role(postgres, "other");
        PooledRemoteConnection old = registry.acquire("pg", "ann", LONG);
        registry.acquire("pg", "ann", LONG).close();

        registry.updateMapping(PostgresServer.mapping("pg", "ann", other, "other"));

        try (PooledRemoteConnection fresh = registry.acquire("pg", "ann", LONG)) {
            assertThat(one(fresh.connection(), "SELECT current_user")).isEqualTo(other);
        }
        assertThat(one(old.connection(), "SELECT current_user"))
                .as("one in use stays")
                .isEqualTo(role);
        assertThat(registry.serverStats("pg").drainingConnections()).isEqualTo(1);
        old.release();
        Awaitility.await().until(() -> PostgresServer.sessions(postgres, role) == 0);
        assertThat(registry.serverStats("pg").drainingConnections()).isZero();
    }

    @Test
    void aCallerThatWaitsInTheOldPoolGetsAConnectionWithTheNewCredentials() throws Exception {
        String other = PostgresServer.role(postgres, "other");
        registry.setMaxConnections("pg", 2);
        PooledRemoteConnection held1 = registry.acquire("pg", "ann", LONG);
        PooledRemoteConnection held2 = registry.acquire("pg", "ann", LONG);
        AtomicReference<String> user = new AtomicReference<>();
        Thread waiter = new Thread(() -> {
            try (PooledRemoteConnection late = registry.acquire("pg", "ann", LONG)) {
                user.set(one(late.connection(), "SELECT current_user"));
            } catch (SQLException e) {
                user.set(e.getMessage());
            }
        });
        waiter.start();
        Awaitility.await().until(() -> registry.serverStats("pg").pendingRequests() == 1);

        registry.updateMapping(PostgresServer.mapping("pg", "ann", other, "other"));
        held1.release();
        waiter.join(10_000);

        assertThat(user.get()).isEqualTo(other);
        held2.release();
    }

    @Test
    void anUpdatedServerDrainsItsConnectionsUnlessOnlyNumbersChange() throws Exception {
        String before;
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            before = one(connection.connection(), "SELECT pg_backend_pid()");
        }
        registry.setMinConnections("pg", 0);
        registry.setMaxConnections("pg", 3);
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            assertThat(one(connection.connection(), "SELECT pg_backend_pid()")).isEqualTo(before);
        }
        registry.updateServer(registry.serverDefinition("pg").toBuilder()
                .driverOption("ApplicationName", "changed")
                .build());
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            assertThat(one(connection.connection(), "SHOW application_name")).isEqualTo("changed");
        }
        Awaitility.await().until(() -> PostgresServer.sessions(postgres, role) == 1);
    }

    @Test
    void closingAllConnectionsLeavesThoseInUseUntilTheirRelease() throws Exception {
        PooledRemoteConnection inUse = registry.acquire("pg", "ann", LONG);
        registry.acquire("pg", "ann", LONG).close();

        registry.closeAllConnections("pg");

        String pid = one(inUse.connection(), "SELECT pg_backend_pid()");
        inUse.release();
        try (PooledRemoteConnection fresh = registry.acquire("pg", "ann", LONG)) {
            assertThat(one(fresh.connection(), "SELECT pg_backend_pid()")).isNotEqualTo(pid);
        }
    }

    @Test
    void anAbortedTransactionIsRolledBackOnReleaseAndTheConnectionStays() throws Exception {
        String pid;
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            pid = one(connection.connection(), "SELECT pg_backend_pid()");
            connection.begin();
            assertThatThrownBy(() -> connection.query("SELECT nothing")).isInstanceOf(RemoteException.class);
        }
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            assertThat(one(connection.connection(), "SELECT pg_backend_pid()"))
                    .as("a transaction is no reason to close")
                    .isEqualTo(pid);
        }
    }

    @Test
    void temporaryTablesAndSettingsDoNotPassToTheNextUser() throws Exception {
        String pid;
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            pid = one(connection.connection(), "SELECT pg_backend_pid()");
            connection.update("CREATE TEMPORARY TABLE left_over (n int)");
            connection.update("SET work_mem = '7MB'");
            connection.update("SET search_path = pg_catalog");
            connection.query("SELECT pg_advisory_lock(4711)");
        }
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            Connection jdbc = connection.connection();
            assertThat(one(jdbc, "SELECT pg_backend_pid()")).isEqualTo(pid);
            assertThat(one(jdbc, "SELECT to_regclass('left_over')")).isNull();
            assertThat(one(jdbc, "SHOW work_mem")).isNotEqualTo("7MB");
            assertThat(one(jdbc, "SHOW search_path")).isNotEqualTo("pg_catalog");
            assertThat(one(jdbc, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
                    .isEqualTo("0");
        }
    }

    @Test
    void aConnectionMarkedAsFailedIsNotHandedOutAgain() throws Exception {
        String pid;
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            pid = one(connection.connection(), "SELECT pg_backend_pid()");
            connection.markFailed();
        }
        try (PooledRemoteConnection connection = registry.acquire("pg", "ann", LONG)) {
            assertThat(one(connection.connection(), "SELECT pg_backend_pid()")).isNotEqualTo(pid);
        }
    }

    @Test
    void numbersAddUpAndConnectionsAreListed() throws Exception {
        try (PooledRemoteConnection a = registry.acquire("pg", "ann", LONG);
                PooledRemoteConnection b = registry.acquire("pg", "ann", LONG)) {
            assertThat(a).isNotSameAs(b);
            registry.acquire("pg", "ann", LONG).close();
            ServerPoolStats stats = registry.serverStats("pg");
            assertThat(stats.totalConnections()).isEqualTo(stats.activeConnections() + stats.idleConnections());
            assertThat(stats.activeConnections()).isEqualTo(2);
            assertThat(stats.totalAcquires()).isEqualTo(3);
            assertThat(stats.totalReleases()).isEqualTo(1);
            RegistryStats all = registry.stats();
            assertThat(all.totalConnections()).isEqualTo(stats.totalConnections());
            assertThat(all.healthyServers()).isEqualTo(1);
            List<ConnectionDetails> details = registry.connections("pg");
            assertThat(details).hasSize(stats.totalConnections());
            assertThat(details.stream().filter(ConnectionDetails::inUse)).hasSize(2);

            long id = details.stream()
                    .filter(ConnectionDetails::inUse)
                    .findFirst()
                    .orElseThrow()
                    .id();
            assertThat(registry.resetConnection("pg", id)).isTrue();
            assertThat(registry.resetConnection("pg", -1)).isFalse();
        }
    }

    @Test
    void aWarmUpOpensConnectionsAndAnEvictionClosesIdleOnesDownToTheMinimum() throws Exception {
        assertThat(registry.warmupServer("pg", 4)).isTrue();
        assertThat(registry.serverStats("pg").idleConnections()).isEqualTo(4);

        assertThat(registry.evictIdleConnections("pg")).isEqualTo(3);
        Awaitility.await().until(() -> PostgresServer.sessions(postgres, role) == 1);
        assertThat(registry.resize("pg", 3)).isTrue();
        assertThat(registry.serverStats("pg").totalConnections()).isEqualTo(3);
    }

    @Test
    void dataSourcesAndTheUrlLeadToTheSamePool() throws Exception {
        AtomicReference<String> loggedIn = new AtomicReference<>("ann");
        DataSource source = registry.dataSource("pg", loggedIn::get);
        try (Connection connection = source.getConnection()) {
            assertThat(one(connection, "SELECT current_user")).isEqualTo(role);
        }
        String url = "jdbc:reservoir:remote:pg?localUser=ann&registry=" + registry.name();
        try (Connection connection = DriverManager.getConnection(url)) {
            assertThat(one(connection, "SELECT current_user")).isEqualTo(role);
        }
        loggedIn.set("nobody");
        assertCode(RemoteErrorCode.USER_MAPPING_NOT_FOUND, source::getConnection);
        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:reservoir:remote:pg"))
                .hasMessageContaining("localUser is missing");
        assertThat(registry.serverStats("pg").totalAcquires()).isEqualTo(2);
    }

    @Test
    void anUnregisteredServerDrainsUntilItsDeadline() throws Exception {
        PooledRemoteConnection held = registry.acquire("pg", "ann", LONG);
        long begun = System.nanoTime();
        registry.unregisterServer("pg", SHORT);

        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(SHORT);
        assertThatThrownBy(() -> held.query("SELECT 1")).isInstanceOf(RemoteException.class);
        held.release();
        assertCode(RemoteErrorCode.SERVER_NOT_FOUND, () -> registry.acquire("pg", "ann", LONG));
        Awaitility.await().until(() -> PostgresServer.sessions(postgres, role) == 0);
    }

    @Test
    void aPoolWithoutConnectionsAndCallersIsRemovedAfterItsIdleTimeout() throws Exception {
        registry.updateServer(registry.serverDefinition("pg").toBuilder()
                .pool(PostgresServer.pool(0, 4).idleTimeout(SHORT).build())
                .build());
        registry.acquire("pg", "ann", LONG).close();
        assertThat(registry.serverStats("pg").totalUserPools()).isEqualTo(1);

        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> registry.serverStats("pg").totalUserPools() == 0);
        assertThat(registry.serverStats("pg").totalAcquires()).as("totals stay").isEqualTo(1);
        registry.acquire("pg", "ann", LONG).close();
    }

    @Test
    void aFailFastServerRefusesWithoutWaitingAndAnOverflowingOneGoesBeyond() throws Exception {
        registry.updateServer(registry.serverDefinition("pg").toBuilder()
                .pool(PostgresServer.pool(0, 1)
                        .exhaustionPolicy(dev.reservoir.remote.model.ExhaustionPolicy.OVERFLOW)
                        .overflowMax(2)
                        .build())
                .build());
        try (PooledRemoteConnection a = registry.acquire("pg", "ann", LONG);
                PooledRemoteConnection b = registry.acquire("pg", "ann", LONG);
                PooledRemoteConnection c = registry.acquire("pg", "ann", LONG)) {
            assertThat(List.of(a, b, c)).hasSize(3);
            assertCode(RemoteErrorCode.POOL_EXHAUSTED, () -> registry.acquire("pg", "ann", SHORT));
        }
        Awaitility.await().atMost(LONG).until(() -> registry.serverStats("pg").totalConnections() == 1);

        registry.updateServer(registry.serverDefinition("pg").toBuilder()
                .pool(PostgresServer.pool(0, 1)
                        .exhaustionPolicy(dev.reservoir.remote.model.ExhaustionPolicy.FAIL_FAST)
                        .build())
                .build());
        registry.addMapping(PostgresServer.mapping("pg", "bob", role, "first"));
        registry.acquire("pg", "bob", LONG).close();
        try (PooledRemoteConnection only = registry.acquire("pg", "ann", LONG)) {
            long begun = System.nanoTime();
            assertCode(RemoteErrorCode.POOL_EXHAUSTED, () -> registry.acquire("pg", "ann", LONG));
            assertCode(RemoteErrorCode.POOL_EXHAUSTED, () -> registry.acquire("pg", "bob", LONG));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
            assertThat(only.isReleased()).isFalse();
        }
    }
}
