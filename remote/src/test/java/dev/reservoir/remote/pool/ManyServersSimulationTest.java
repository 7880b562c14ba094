package dev.reservoir.remote.pool;

import static dev.reservoir.remote.pool.SimulatedServer.MS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.core.time.VirtualTime;
import dev.reservoir.remote.pool.SimulatedServer.User;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * 20 servers with 10 users each, under random load, and every other server with random faults. On virtual time, with
 * the engine. The limit of each server holds at every connect, and no caller waits past its deadline. Each connection
 * closes once.
 */
class ManyServersSimulationTest {
    private static final long SECOND = 1000 * MS;
    private static final int SERVERS = 20;
    private static final int USERS = 10;

    /** The load begins within the first seconds. The faults come after that, and end in time for a recovery. */
    private static final long FAULTS_BEGIN = 4 * SECOND;

    private static final long FAULTS_END = 14 * SECOND;
    private static final long LOAD_END = 26 * SECOND;

    private final VirtualTime time = new VirtualTime();
    private final List<SimulatedServer> servers = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void faultsOfServersStayWithTheirServersAndEnd(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < SERVERS; i++) {
            SimulatedServer server = new SimulatedServer("s" + i, random.nextInt(2, 12), time, random.split());
            server.failureRate = random.nextInt(3) == 0 ? 0.05 : 0;
            servers.add(server);
            for (int u = 0; u < USERS; u++) {
                addLoad(server.user("u" + u, random.nextInt(2)), random);
            }
            if (isFaulty(i)) {
                addFaults(server, random);
            }
        }
        checkUntil(FAULTS_END, seed);
        Map<User, Integer> before = new HashMap<>();
        servers.forEach(server -> server.users.forEach(user -> before.put(user, user.served)));
        checkUntil(LOAD_END + 10 * SECOND, seed);

        for (int i = 0; i < SERVERS; i++) {
            for (User user : servers.get(i).users) {
                assertThat(user.served)
                        .as("seed %s: user %s of server %s after the faults", seed, user.name, i)
                        .isGreaterThan(before.get(user));
                // A user with many callers may ask for more than a server can give.
                if (!isFaulty(i) && !user.isGreedy) {
                    assertThat(user.refused)
                            .as("seed %s, server %s: %s", seed, i, user.lastRefusal)
                            .isZero();
                    assertThat(user.broken).as("seed %s", seed).isZero();
                }
            }
        }
        for (SimulatedServer server : servers) {
            server.close();
            assertThat(server.sessions).as("seed %s: nothing leaks", seed).isEmpty();
            assertThat(server.leases.held())
                    .as("seed %s: every lease is back", seed)
                    .isZero();
        }
    }

    private static boolean isFaulty(int server) {
        return server % 2 == 1;
    }

    private void addLoad(User user, SplittableRandom random) {
        int callers = random.nextInt(8) == 0 ? 50 : random.nextInt(1, 4);
        user.isGreedy = callers > 4;
        long hold = random.nextLong(5, 60) * MS;
        long pause = random.nextLong(20, 400) * MS;
        time.start(random.nextLong(3 * SECOND), () -> user.loop(callers, hold, pause, LOAD_END));
    }

    /** Each fault has its own beginning and end. Faults of one server may overlap. */
    private void addFaults(SimulatedServer server, SplittableRandom random) {
        int faults = random.nextInt(1, 4);
        for (int i = 0; i < faults; i++) {
            long begin = random.nextLong(FAULTS_BEGIN, FAULTS_END - SECOND);
            long end = random.nextLong(begin, FAULTS_END);
            switch (random.nextInt(4)) {
                case 0 -> during(begin, end, () -> server.away = true, () -> server.away = false);
                case 1 -> during(begin, end, () -> server.hangs = true, () -> server.hangs = false);
                case 2 -> during(begin, end, () -> server.full = true, () -> server.full = false);
                default -> during(begin, end, server::killSessions, server::killSessions);
            }
        }
    }

    private void during(long begin, long end, Runnable first, Runnable last) {
        time.start(begin, first);
        time.start(end, last);
    }

    private void checkUntil(long untilNanos, long seed) {
        while (time.nanos() < untilNanos) {
            time.advance(50 * MS);
            try {
                servers.forEach(SimulatedServer::check);
            } catch (IllegalStateException e) {
                throw new AssertionError("seed " + seed + " at " + time.nanos() / MS + " ms", e);
            }
        }
    }
}
