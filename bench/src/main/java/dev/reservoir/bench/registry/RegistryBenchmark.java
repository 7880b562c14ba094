package dev.reservoir.bench.registry;

import dev.reservoir.bench.Jvm;
import dev.reservoir.bench.Polling;
import dev.reservoir.bench.pools.PoolKind;
import dev.reservoir.bench.pools.PoolUnderTest;
import dev.reservoir.bench.pools.StubPools;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.model.PoolConfiguration;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One acquire and release of a stub connection: through the JDBC door, and through the registry in two ways. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class RegistryBenchmark {
    /** As many as threads at most, so that nobody waits. */
    static final int SIZE = 32;

    /** Users and servers that the look-ups pass over. */
    private static final int OTHERS = 20;

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final String SERVER = "server7";
    private static final String USER = StubRegistry.user(7);

    /** A full pool of the JDBC door. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH calls start before any thread uses the fields
    public static class Door {
        DataSource dataSource;
        private PoolUnderTest running;

        @Setup(Level.Trial)
        public void start() throws Exception {
            Jvm.silenceLogs();
            running = StubPools.openFull(PoolKind.RESERVOIR, "door", SIZE);
            dataSource = running.dataSource();
        }

        @TearDown(Level.Trial)
        public void stop() {
            running.close();
        }
    }

    /** A registry with many servers and users, one of which has a full pool. */
    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH calls start before any thread uses the fields
    public static class Registry {
        RemoteConnectionPoolRegistry registry;
        DataSource dataSource;

        @Setup(Level.Trial)
        public void start() throws Exception {
            Jvm.silenceLogs();
            registry = StubRegistry.create("bench");
            PoolConfiguration pool = PoolConfiguration.builder()
                    .minConnections(0)
                    .maxConnections(SIZE)
                    .warmupOnCreate(false)
                    .build();
            for (int i = 0; i < OTHERS; i++) {
                StubRegistry.addServer(registry, "server" + i, OTHERS, pool);
            }
            registry.setMinConnections(SERVER, SIZE);
            StubRegistry.use(registry, SERVER, USER);
            if (!Polling.until(LIMIT, () -> registry.serverStats(SERVER).idleConnections() == SIZE)) {
                throw new IllegalStateException("the pool of " + USER + " is not full after " + LIMIT);
            }
            dataSource = registry.dataSource(SERVER, USER);
        }

        @TearDown(Level.Trial)
        public void stop() {
            registry.close();
        }
    }

    @Benchmark
    public Connection door(Door door) throws Exception {
        Connection connection = door.dataSource.getConnection();
        connection.close();
        return connection;
    }

    @Benchmark
    public PooledRemoteConnection registry(Registry state) throws Exception {
        PooledRemoteConnection connection = state.registry.acquire(SERVER, USER);
        connection.release();
        return connection;
    }

    @Benchmark
    public Connection dataSource(Registry state) throws Exception {
        Connection connection = state.dataSource.getConnection();
        connection.close();
        return connection;
    }
}
