package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.model.RemoteErrorCode;
import dev.reservoir.remote.model.RemoteException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A user pool is cheap: 1,000 of them share the threads of the process. With a real PostgreSQL. */
class ManyIdlePoolsTest {
    private static final int POOLS = 1_000;
    private static final int PLACES = 4;

    /** Threads of the registry, of the engine and of drivers together. They do not depend on the number of pools. */
    private static final int THREADS_MAX = 40;

    @Test
    void aThousandPoolsOfOneRegistryNeedNoThreadEach() throws Exception {
        LocalPostgres postgres = PostgresServer.shared();
        String role = PostgresServer.role(postgres, "secret");
        RemoteConnectionPoolRegistry registry = PostgresServer.registry();
        registry.registerServer(PostgresServer.definition("pg", postgres.port())
                .pool(PostgresServer.pool(0, PLACES).build())
                .build());
        for (int i = 0; i < POOLS; i++) {
            registry.addMapping(PostgresServer.mapping("pg", "user-" + i, role, "secret"));
        }
        int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
        long heapBefore = usedHeap();

        for (int i = 0; i < POOLS; i++) {
            startPool(registry, "user-" + i);
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> registry.serverStats("pg").totalConnections() == PLACES);

        assertThat(registry.serverStats("pg").totalUserPools()).isEqualTo(POOLS);
        assertThat(ManagementFactory.getThreadMXBean().getThreadCount() - threadsBefore)
                .isLessThan(THREADS_MAX);
        System.out.println("heap of an idle user pool: " + (usedHeap() - heapBefore) / POOLS + " bytes");
        registry.close(Duration.ofSeconds(1));
        assertThat(PostgresServer.sessions(postgres, role)).isLessThanOrEqualTo(PLACES);
        Awaitility.await().until(() -> PostgresServer.sessions(postgres, role) == 0);
    }

    /** The first acquire of a user starts its pool. Nobody waits for a connection. */
    private static void startPool(RemoteConnectionPoolRegistry registry, String user) {
        try {
            registry.acquire("pg", user, Duration.ZERO).close();
        } catch (RemoteException e) {
            assertThat(e.code()).as("%s", e).isEqualTo(RemoteErrorCode.POOL_EXHAUSTED);
        }
    }

    private static long usedHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
