package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.testkit.FaultyProxy;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.apache.arrow.memory.RootAllocator;

/** A pool for one test. Its close checks that no connection, result or Arrow memory is left. */
final class TestPool implements AutoCloseable {
    final FlightSqlPool pool;
    private final RootAllocator allocator = new RootAllocator();

    private TestPool(String endpoint, UnaryOperator<PoolConfig.Builder> settings) {
        PoolConfig.Builder builder = PoolConfig.builder()
                .name("test")
                .minIdle(0)
                .maxSize(2)
                .acquireTimeout(Duration.ofSeconds(20))
                .connectsPerMinute(100_000)
                .allocator(allocator);
        pool = new FlightSqlPool(endpoint, settings.apply(builder).build());
    }

    static TestPool of(FlightSqlServer server) {
        return of(server, UnaryOperator.identity());
    }

    static TestPool of(FlightSqlServer server, UnaryOperator<PoolConfig.Builder> settings) {
        return new TestPool(server.endpoint(), settings);
    }

    /** A pool that reaches its server through a relay. */
    static TestPool through(FaultyProxy relay, UnaryOperator<PoolConfig.Builder> settings) {
        return at("grpc://127.0.0.1:" + relay.port(), settings);
    }

    static TestPool at(String endpoint, UnaryOperator<PoolConfig.Builder> settings) {
        return new TestPool(endpoint, settings);
    }

    /** The first column of the only row. */
    long number(String sql) {
        return number(pool.query(sql));
    }

    /** The first column of the only row. */
    static long number(QueryResult result) {
        return result.single(row -> row.getLong(0));
    }

    double metric(String name) {
        return pool.metrics().get(name);
    }

    /** Waits until a metric has this value. The engine counts some events a moment after they happen. */
    void awaitMetric(String name, double value) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(metric(name)).as(name).isEqualTo(value));
    }

    @Override
    public void close() {
        pool.close(Duration.ofSeconds(10));
        assertThat(pool.stats().open()).as("open connections").isZero();
        assertThat(pool.stats().closed())
                .as("closed connections")
                .isEqualTo(pool.stats().opened());
        assertThat(metric("pool.handles.open")).as("open handles").isZero();
        allocator.close();
    }
}
