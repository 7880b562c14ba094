package dev.reservoir.remote.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.testkit.FaultyProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What the registry promises while a real server misbehaves, whatever the database is. Several threads of several users
 * work all the time, and no acquire ends much later than its deadline, see {@link Load#end}.
 */
abstract class ServerFaultContract extends SessionFaultContract {
    /** What may happen to a use or an acquire while a server goes away. */
    private static final RemoteErrorCode[] AWAY = {
        RemoteErrorCode.CONNECTION_FAILED,
        RemoteErrorCode.NETWORK_ERROR,
        RemoteErrorCode.SERVER_UNAVAILABLE,
        RemoteErrorCode.TIMEOUT,
        RemoteErrorCode.POOL_EXHAUSTED
    };

    // The server goes away.

    @Test
    void aServerThatRestartsIsUsedAgain() throws Exception {
        register();
        try (Load load = new Load(registry, this::query, AWAY)) {
            load.user("u1", 2).user("u2", 2).user("u3", 2).awaitServed(10, "u1", "u2", "u3");
            server.stop();
            load.awaitFailures(PLACES + 1);
            server.startAgain();
            load.awaitServed(10, "u1", "u2", "u3");
            load.end();
        }
        assertNothingLeaks();
    }

    @Test
    void killedSessionsAreReplaced() throws Throwable {
        register();
        try (Load load = new Load(registry, this::query, AWAY)) {
            load.user("u1", 2).user("u2", 2).user("u3", 2);
            for (int i = 0; i < 3; i++) {
                load.awaitServed(10, "u1", "u2", "u3");
                kill(load, "");
            }
            load.awaitServed(10, "u1", "u2", "u3");
            load.end();
        }
        assertNothingLeaks();
    }

    private void kill(Load load, String user) throws Throwable {
        if (server.killsBusySessions()) {
            server.kill(user);
        } else {
            load.whileNobodyWorks(() -> {
                awaitSameSessions();
                server.kill(user);
            });
        }
    }

    @Test
    void aBlackHoledPortHoldsNobodyPastTheDeadline() throws Exception {
        String[] network = server.oneSecondOfNetwork();
        try (FaultyProxy proxy = FaultyProxy.to(server.port());
                Load load = new Load(registry, this::query, AWAY)) {
            register(server.definition(proxy.port())
                    .pool(pool(PLACES).connectTimeout(Duration.ofSeconds(1)).build())
                    .driverOption(network[0], network[1]));
            load.user("u1", 2).user("u2", 2).user("u3", 2).awaitServed(10, "u1", "u2", "u3");
            proxy.all(FaultyProxy.Mode.SWALLOW);
            int before = load.served();
            // More than there are threads, so that at least one began after the fault.
            load.awaitFailures(7);
            assertThat(load.served()).as("nothing passes").isLessThanOrEqualTo(before + PLACES);
            proxy.all(FaultyProxy.Mode.PASS);
            load.awaitServed(10, "u1", "u2", "u3");
            load.end();
            assertThat(load.longestRelease())
                    .as("a release waits for the driver's network timeout at most")
                    .isLessThan(Duration.ofSeconds(2).plus(Load.TOLERANCE));
            assertNothingLeaks();
        }
    }

    // The server refuses.

    @Test
    void aWrongPasswordStopsOneUserUntilTheServerAcceptsItAgain() throws Throwable {
        register();
        try (Load others = new Load(registry, this::query);
                Load refused = new Load(registry, this::query, refusals())) {
            others.user("u2", 2).user("u3", 2);
            refused.user("u1", 2).awaitServed(10, "u1");
            server.setPassword("u1", "second-password");
            try {
                kill(refused, "u1");
                refused.awaitError(RemoteErrorCode.AUTHENTICATION_FAILED);
                others.awaitServed(10, "u2", "u3");
            } finally {
                server.setPassword("u1", FaultServer.PASSWORD);
            }
            refused.awaitServed(10, "u1");
            refused.end();
            others.end();
        }
        assertNothingLeaks();
    }

    private static RemoteErrorCode[] refusals() {
        List<RemoteErrorCode> codes = new ArrayList<>(List.of(AWAY));
        codes.add(RemoteErrorCode.AUTHENTICATION_FAILED);
        return codes.toArray(new RemoteErrorCode[0]);
    }

    @Test
    void aFullServerIsAnExhaustedPoolAndCostsNoConnectionThatWorks() throws Exception {
        assumeTrue(server.limit() > 0, "skipped: the server has no limit of its own");
        register();
        List<Connection> others = new ArrayList<>();
        try (Load load = new Load(registry, this::query, RemoteErrorCode.POOL_EXHAUSTED)) {
            registry.acquire("server", "u1", Load.PATIENCE).close();
            long first = registry.connections("server").get(0).id();
            fill(others);
            load.user("u1", 2).user("u2", 2).awaitServed(10, "u1");
            load.awaitError(RemoteErrorCode.POOL_EXHAUSTED);
            registry.checkNow("server");
            assertThat(registry.serverHealth("server").failedChecks())
                    .as("a full server answers")
                    .isZero();
            assertThat(registry.isServerHealthy("server")).isTrue();
            registry.stopHealthChecker();
            assertThat(registry.connections("server"))
                    .extracting(one -> one.id())
                    .contains(first);
            closeAll(others);
            load.awaitServed(10, "u1", "u2");
            load.end();
        } finally {
            closeAll(others);
        }
        assertNothingLeaks();
    }

    /** Another client takes all places that the server has left. */
    private void fill(List<Connection> others) throws SQLException {
        SQLException refusal = null;
        while (refusal == null) {
            assertThat(others.size()).isLessThan(server.limit());
            try {
                others.add(server.asUser("u3"));
            } catch (SQLException e) {
                refusal = e;
            }
        }
    }

    private static void closeAll(List<Connection> connections) throws SQLException {
        for (Connection connection : connections) {
            connection.close();
        }
        connections.clear();
    }
}
