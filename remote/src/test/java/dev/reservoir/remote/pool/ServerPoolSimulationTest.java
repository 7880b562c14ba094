package dev.reservoir.remote.pool;

import static dev.reservoir.remote.pool.ServerPoolRun.MS;
import static dev.reservoir.remote.pool.ServerPoolRun.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.remote.health.HealthChecker;
import dev.reservoir.remote.model.RemoteException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * 20 servers with 10 users each on virtual time: the pools, the leases, the health state and the checks as they are,
 * under random load. Servers are away, hang, are full, kill sessions and refuse logins. Users come and go, and servers
 * and mappings change. The promises are checked all the time, by {@link ServerPoolRun} and at the end.
 */
class ServerPoolSimulationTest {
    private static final int SERVERS = 20;
    private static final int USERS = 10;

    /** The load begins within the first seconds. The faults come after that, and end in time for a recovery. */
    private static final long FAULTS_BEGIN = 4 * SECOND;

    private static final long FAULTS_END = 16 * SECOND;
    private static final long RECOVERED = FAULTS_END + 10 * SECOND;
    private static final long LOAD_END = 32 * SECOND;

    private final VirtualTime time = new VirtualTime();
    private final SimulatedThreads threads = new SimulatedThreads(time);
    private final HealthChecker checker = new HealthChecker(time, threads);
    private final List<ServerPoolRun> servers = new ArrayList<>();
    private final List<String> history = new ArrayList<>();
    private SplittableRandom random;

    @AfterEach
    void end() {
        threads.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void thePromisesHoldAndEverythingRecovers(long seed) throws RemoteException {
        start(seed);
        stepUntil(RECOVERED, seed);
        Map<ServerPoolRun.User, Integer> before = new HashMap<>();
        for (ServerPoolRun server : servers) {
            assertThat(server.pool.isHealthy())
                    .as("seed %s: %s recovers by itself: %s", seed, server.name, server.pool.health())
                    .isTrue();
            server.users.values().forEach(user -> before.put(user, user.served));
        }
        stepUntil(LOAD_END, seed);
        before.forEach((user, served) -> assertThat(user.served)
                .as("seed %s: %s is served after the faults", seed, user.user)
                .isGreaterThan(served));
        for (int i = 0; i < SERVERS; i++) {
            checkServer(i, seed);
        }
        end(seed);
    }

    @Test
    void theSameSeedHasTheSameHistory() throws RemoteException {
        start(7);
        stepUntil(FAULTS_END, 7);
        ServerPoolSimulationTest again = new ServerPoolSimulationTest();
        again.start(7);
        again.stepUntil(FAULTS_END, 7);
        again.end();
        assertThat(history).hasSizeGreaterThan(1_000).isEqualTo(again.history);
    }

    private void checkServer(int i, long seed) {
        for (ServerPoolRun.User user : servers.get(i).users.values()) {
            // A user with many callers may ask for more than a server can give.
            if (!isFaulty(i) && !user.isGreedy) {
                assertThat(user.refused)
                        .as("seed %s, server %s, %s: %s", seed, i, user.user, user.lastRefusal)
                        .isZero();
                assertThat(user.broken + user.refusedUnhealthy)
                        .as("seed %s, server %s, %s", seed, i, user.user)
                        .isZero();
            }
        }
    }

    /** Without load, the pools of users end. Then the servers close, and nothing is left. */
    private void end(long seed) {
        stepUntil(LOAD_END + 4 * ServerPoolRun.IDLE_TIMEOUT.toNanos(), seed);
        checker.stop();
        for (ServerPoolRun server : servers) {
            assertThat(server.pool.stats().totalUserPools())
                    .as("seed %s: idle pools of %s are removed: %s", seed, server.name, server.pool.stats())
                    .isZero();
            CompletableFuture<Void> closed =
                    server.pool.close(Duration.ofSeconds(1)).toCompletableFuture();
            time.advance(5 * SECOND);
            assertThat(closed).as("seed %s: %s closes", seed, server.name).isCompleted();
            assertThat(server.database.sessions).as("seed %s", seed).isEmpty();
            assertThat(server.database.monitorSessions).as("seed %s", seed).isEmpty();
            assertThat(server.pool.held()).as("seed %s", seed).isZero();
        }
    }

    private void start(long seed) throws RemoteException {
        random = new SplittableRandom(seed);
        checker.start();
        for (int i = 0; i < SERVERS; i++) {
            ServerPoolRun server =
                    new ServerPoolRun("s" + i, random.nextInt(3, 12), time, threads, random.split(), history::add);
            servers.add(server);
            for (int u = 0; u < USERS; u++) {
                addLoad(server.addUser("u" + u));
            }
            server.watch(checker);
            addChanges(server);
            if (isFaulty(i)) {
                addFaults(server);
            }
        }
    }

    private static boolean isFaulty(int server) {
        return server % 2 == 1;
    }

    private void addLoad(ServerPoolRun.User user) {
        int callers = random.nextInt(10) == 0 ? 20 : 1;
        user.isGreedy = callers > 1;
        long hold = random.nextLong(5, 60) * MS;
        long pause = random.nextLong(200, 2_000) * MS;
        time.start(random.nextLong(3 * SECOND), () -> user.start(callers, hold, pause, LOAD_END));
    }

    /** Mappings and servers change until the faults end. */
    private void addChanges(ServerPoolRun server) {
        for (int i = random.nextInt(1, 5); i > 0; i--) {
            ServerPoolRun.User user = server.users.get("u" + random.nextInt(USERS));
            if (random.nextBoolean()) {
                time.start(random.nextLong(FAULTS_BEGIN, FAULTS_END), user::addMapping);
            } else {
                during(user::removeMapping, user::addMapping);
            }
        }
        if (random.nextBoolean()) {
            time.start(random.nextLong(FAULTS_BEGIN, FAULTS_END), server::move);
        }
        if (random.nextBoolean()) {
            int max = random.nextInt(3, 12);
            time.start(random.nextLong(FAULTS_BEGIN, FAULTS_END), () -> server.resize(max));
        }
    }

    /** Each fault has its own beginning and end. Faults of one server may overlap. */
    private void addFaults(ServerPoolRun server) {
        SimulatedDatabase database = server.database;
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            switch (random.nextInt(5)) {
                case 0 -> during(() -> database.away = true, () -> database.away = false);
                case 1 -> during(() -> database.hangs = true, () -> database.hangs = false);
                case 2 -> during(() -> database.full = true, () -> database.full = false);
                case 3 -> during(database::killSessions, database::killSessions);
                default -> {
                    String user = "u" + random.nextInt(USERS);
                    during(() -> database.refused.add(user), () -> database.refused.remove(user));
                }
            }
        }
    }

    private void during(Runnable first, Runnable last) {
        long begin = random.nextLong(FAULTS_BEGIN, FAULTS_END - SECOND);
        time.start(begin, first);
        time.start(random.nextLong(begin, FAULTS_END), last);
    }

    private void stepUntil(long untilNanos, long seed) {
        while (time.nanos() < untilNanos) {
            try {
                time.advance(10 * MS);
                servers.forEach(ServerPoolRun::check);
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + " at " + time.nanos() / MS + " ms", e);
            }
        }
    }
}
