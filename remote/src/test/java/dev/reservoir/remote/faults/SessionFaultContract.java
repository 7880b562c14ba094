package dev.reservoir.remote.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.model.HealthCheckConfig;
import dev.reservoir.remote.model.PoolConfiguration;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Nothing passes from one user of a session to the next, whatever the database is. Several threads of several users
 * work all the time. After each test nothing is in use, the server lists as many sessions as the registry, and after
 * the close of the registry the server lists none.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SessionFaultContract {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    static final int PLACES = 4;

    FaultServer server;
    RemoteConnectionPoolRegistry registry;
    private String cleanState;

    /** Starts the server, or skips the tests. */
    abstract FaultServer startServer() throws Exception;

    @BeforeAll
    void start() throws Exception {
        server = startServer();
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void create() {
        registry = RemoteConnectionPoolRegistry.create("faults-" + NUMBERS.incrementAndGet());
    }

    @AfterEach
    void close() {
        registry.close(Duration.ZERO);
    }

    static PoolConfiguration.Builder pool(int max) {
        return PoolConfiguration.builder()
                .minConnections(0)
                .maxConnections(max)
                .connectTimeout(Duration.ofSeconds(10))
                .queryTimeout(Duration.ofSeconds(10));
    }

    void register(ServerDefinition.Builder definition) throws RemoteException {
        registry.registerServer(definition
                .health(HealthCheckConfig.builder()
                        .timeout(Duration.ofSeconds(3))
                        .build())
                .build());
        for (String user : FaultServer.USERS) {
            registry.addMapping(mapping(UserMapping.builder("server", user), user));
        }
    }

    void register() throws RemoteException {
        register(server.definition(server.port()).pool(pool(PLACES).build()));
    }

    /** All local users share one pool. */
    private void registerShared(int places) throws RemoteException {
        registry.registerServer(
                server.definition(server.port()).pool(pool(places).build()).build());
        registry.addMapping(mapping(UserMapping.forPublic("server"), "u1"));
        try (PooledRemoteConnection first = registry.acquire("server", "first", Load.PATIENCE)) {
            cleanState = state(first);
        }
    }

    private static UserMapping mapping(UserMapping.Builder builder, String user) throws RemoteException {
        return builder.remoteUser(user)
                .remotePassword(Secret.literal(FaultServer.PASSWORD))
                .build();
    }

    private String state(PooledRemoteConnection connection) throws RemoteException {
        return String.valueOf(connection.query(server.state()).single());
    }

    /** A session is as it was right after its connect. */
    private void assertClean(PooledRemoteConnection connection) throws RemoteException {
        List<String> left = new ArrayList<>(List.of(state(connection).split(";", -1)));
        left.removeAll(List.of(cleanState.split(";", -1)));
        assertThat(left).as("what a user before left behind").isEmpty();
    }

    void query(PooledRemoteConnection connection, SplittableRandom random) throws RemoteException {
        connection.query(server.type().healthQuery());
    }

    void assertNothingLeaks() throws RemoteException {
        Awaitility.await("nothing is in use or under way").atMost(Load.PATIENCE).until(() -> {
            ServerPoolStats stats = registry.serverStats("server");
            return stats.activeConnections() == 0 && stats.pendingRequests() == 0 && stats.drainingConnections() == 0;
        });
        awaitSameSessions();
        registry.close(Duration.ofSeconds(1));
        Awaitility.await("the server lists no session").atMost(Load.PATIENCE).until(() -> server.sessions() == 0);
    }

    void awaitSameSessions() {
        Awaitility.await("the server lists the sessions of the registry")
                .atMost(Load.PATIENCE)
                .untilAsserted(() -> assertThat(server.sessions())
                        .isEqualTo(registry.serverStats("server").totalConnections()));
    }

    @Test
    void aStatementThatOutlivesItsTimeoutEndsAndLeavesNothing() throws Exception {
        registerShared(3);
        AtomicInteger timeouts = new AtomicInteger();
        try (Load load = new Load(registry, (connection, random) -> {
            assertClean(connection);
            if (random.nextInt(4) == 0) {
                connection.setQueryTimeout(Duration.ofMillis(100));
                assertTimesOut(connection);
                timeouts.incrementAndGet();
            }
        })) {
            load.user("ann", 2).user("bob", 2).user("eve", 2).awaitServed(10, "ann", "bob", "eve");
            Awaitility.await().atMost(Load.PATIENCE).until(() -> timeouts.get() >= 10);
            load.end();
        }
        Awaitility.await("no statement goes on")
                .atMost(Load.TOLERANCE)
                .until(() -> server.number(server.countSlow()) == 0);
        assertNothingLeaks();
    }

    private void assertTimesOut(PooledRemoteConnection connection) {
        RemoteException late = catchThrowableOfType(RemoteException.class, () -> connection.query(server.slow()));
        assertThat((Throwable) late).isNotNull();
        assertThat(late.code()).as("%s", late).isEqualTo(RemoteErrorCode.TIMEOUT);
    }

    @Test
    void anAbortedTransactionIsRolledBackAndTheConnectionStays() throws Exception {
        registerShared(3);
        try (Load load = new Load(registry, (connection, random) -> {
            assertClean(connection);
            if (random.nextBoolean()) {
                connection.begin();
            } else {
                connection.connection().setAutoCommit(false);
            }
            connection.update("INSERT INTO ledger (id) VALUES (1)");
            if (random.nextBoolean()) {
                assertThatThrownBy(() -> connection.query("SELECT * FROM missing_table"))
                        .isInstanceOf(RemoteException.class);
            }
        })) {
            load.user("ann", 2).user("bob", 2).user("eve", 2).awaitServed(20, "ann", "bob", "eve");
            load.end();
        }
        assertThat(server.number("SELECT COUNT(*) FROM ledger")).isZero();
        assertThat(registry.serverStats("server").users()).singleElement().satisfies(user -> {
            assertThat(user.connectionsDestroyed())
                    .as("a transaction is no reason to close")
                    .isZero();
            assertThat(user.connectionsCreated()).isLessThanOrEqualTo(3);
        });
        assertNothingLeaks();
    }

    @Test
    void temporaryTablesDoNotPassToTheNextUser() throws Exception {
        registerShared(3);
        try (Load load = new Load(registry, (connection, random) -> {
            assertClean(connection);
            for (String sql : server.temporaryTable()) {
                connection.update(sql);
            }
            assertThat(state(connection)).isNotEqualTo(cleanState);
        })) {
            load.user("ann", 2).user("bob", 2).user("eve", 2).awaitServed(10, "ann", "bob", "eve");
            load.end();
        }
        assertNothingLeaks();
    }

    @Test
    void changedSettingsDoNotPassToTheNextUser() throws Exception {
        registerShared(3);
        List<List<String>> settings = server.settings();
        try (Load load = new Load(registry, (connection, random) -> {
            assertClean(connection);
            int change = random.nextInt(settings.size() + 3);
            Connection jdbc = connection.connection();
            if (change < settings.size()) {
                for (String sql : settings.get(change)) {
                    connection.query(sql);
                }
            } else if (change == settings.size()) {
                jdbc.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            } else if (change == settings.size() + 1) {
                jdbc.setReadOnly(true);
                jdbc.setAutoCommit(false);
            } else {
                jdbc.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT);
                connection.setQueryTimeout(Duration.ofMillis(9));
            }
        })) {
            load.user("ann", 2).user("bob", 2).user("eve", 2).awaitServed(40, "ann", "bob", "eve");
            load.end();
        }
        assertNothingLeaks();
    }
}
