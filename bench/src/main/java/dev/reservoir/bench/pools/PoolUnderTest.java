package dev.reservoir.bench.pools;

import javax.sql.DataSource;

/** A running pool. Closing it closes its connections; never throws on close, as nothing is measured there. */
public interface PoolUnderTest extends AutoCloseable {

    /** What an application would use. The measured loops call this object and nothing of ours in between. */
    DataSource dataSource();

    @Override
    void close();
}
