package dev.reservoir.bench.pools;

import javax.sql.DataSource;

/**
 * A running pool.
 *
 * @param dataSource the data source that an application would use; the measured loops call it directly, without a
 *     wrapper
 * @param closing closes the pool and its connections
 */
public record PoolUnderTest(DataSource dataSource, Runnable closing) implements AutoCloseable {

    @Override
    public void close() {
        closing.run();
    }
}
