package dev.reservoir.bench.pools;

import javax.sql.DataSource;

/** A running pool. Closing it closes its connections. Never throws on close, because nothing is measured there. */
public interface PoolUnderTest extends AutoCloseable {

    /** The data source that an application would use. The measured loops call it directly, without a wrapper. */
    DataSource dataSource();

    @Override
    void close();
}
