package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Many threads of several users on a real PostgreSQL. */
class LoadTest {
    private static final Duration ACQUIRE = Duration.ofSeconds(2);

    private final RemoteConnectionPoolRegistry registry = PostgresServer.registry();
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicLong longestNanos = new AtomicLong();
    private final Set<String> unexpected = ConcurrentHashMap.newKeySet();
    private volatile boolean ended;

    private Thread user(String server, String name, boolean tolerant) {
        Thread thread = new Thread(() -> {
            while (!ended) {
                long begun = System.nanoTime();
                try (PooledRemoteConnection connection = registry.acquire(server, name, ACQUIRE)) {
                    longestNanos.accumulateAndGet(System.nanoTime() - begun, Math::max);
                    connection.query("SELECT 1");
                    served.incrementAndGet();
                } catch (RemoteException e) {
                    longestNanos.accumulateAndGet(System.nanoTime() - begun, Math::max);
                    if (!tolerant || e.code() == RemoteErrorCode.SERVER_NOT_FOUND) {
                        unexpected.add(e.getMessage());
                    }
                } catch (RuntimeException e) {
                    unexpected.add(e.toString());
                }
            }
        });
        thread.start();
        return thread;
    }

    private void end(List<Thread> threads) throws InterruptedException {
        ended = true;
        for (Thread thread : threads) {
            thread.join(15_000);
            assertThat(thread.isAlive()).isFalse();
        }
    }

    @Test
    void theMaximumHoldsAcrossUsersAndAGreedyOneStarvesNobody() throws Exception {
        LocalPostgres postgres = PostgresServer.shared();
        String role = PostgresServer.role(postgres, "secret");
        registry.registerServer(PostgresServer.definition("pg", postgres.port())
                .pool(PostgresServer.pool(1, 4).build())
                .build());
        List<Thread> threads = new ArrayList<>();
        for (String user : List.of("greedy", "a", "b")) {
            registry.addMapping(PostgresServer.mapping("pg", user, role, "secret"));
            for (int i = 0; i < (user.equals("greedy") ? 20 : 1); i++) {
                threads.add(user("pg", user, false));
            }
        }
        int most = 0;
        long withinNanos = System.nanoTime();
        long end = System.nanoTime() + Duration.ofSeconds(4).toNanos();
        while (System.nanoTime() < end) {
            int sessions = PostgresServer.sessions(postgres, role);
            most = Math.max(most, sessions);
            if (sessions <= 4) {
                withinNanos = System.nanoTime();
            }
            // The server still counts a closed connection while its process ends.
            assertThat(Duration.ofNanos(System.nanoTime() - withinNanos))
                    .as("how long the server sees %s sessions", sessions)
                    .isLessThan(Duration.ofSeconds(3));
            ServerPoolStats stats = registry.serverStats("pg");
            assertThat(stats.totalConnections()).isLessThanOrEqualTo(4);
            assertThat(stats.totalConnections()).isEqualTo(stats.activeConnections() + stats.idleConnections());
        }
        end(threads);

        assertThat(unexpected).isEmpty();
        assertThat(most).isGreaterThanOrEqualTo(2);
        assertThat(registry.serverStats("pg").users())
                .allSatisfy(user -> assertThat(user.totalAcquires()).isGreaterThan(20));
        registry.close(Duration.ofSeconds(1));
        Awaitility.await().until(() -> PostgresServer.sessions(postgres, role) == 0);
    }

    @Test
    void aServerThatRestartsUnderLoadIsUsedAgainAndNobodyWaitsPastTheDeadline() throws Exception {
        try (LocalPostgres own = LocalPostgres.start()) {
            PostgresServer.execute(own, "CREATE ROLE worker LOGIN PASSWORD 'secret'");
            registry.registerServer(PostgresServer.definition("own", own.port())
                    .pool(PostgresServer.pool(1, 4).build())
                    .build());
            List<Thread> threads = new ArrayList<>();
            for (String user : List.of("a", "b")) {
                registry.addMapping(PostgresServer.mapping("own", user, "worker", "secret"));
                threads.add(user("own", user, true));
                threads.add(user("own", user, true));
            }
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> served.get() > 100);
            own.stop();
            own.startAgain();
            int before = served.get();
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> served.get() > before + 100);
            own.crash();
            own.startAgain();
            int again = served.get();
            Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> served.get() > again + 100);
            end(threads);

            assertThat(unexpected).isEmpty();
            assertThat(Duration.ofNanos(longestNanos.get())).isLessThan(ACQUIRE.plusSeconds(3));
            assertThat(registry.serverStats("own").activeConnections()).isZero();
            registry.close(Duration.ofSeconds(1));
            Awaitility.await().until(() -> PostgresServer.sessions(own, "worker") == 0);
        }
    }
}
