package dev.reservoir.bench.pools;

import dev.reservoir.bench.Polling;
import dev.reservoir.bench.stub.StubDriver;
import java.sql.SQLException;
import java.time.Duration;

/** Opens pools of stub connections and waits until they are full. */
public final class StubPools {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private StubPools() {}

    /**
     * A pool that has opened all its connections. Blocks until then, 10 s at most. It counts connects at the driver and
     * does not touch the pool, because a checkout during a fill is a case of its own: in Agroal 3.2.1 such a checkout
     * may wait until its timeout.
     */
    public static PoolUnderTest openFull(PoolKind kind, String name, int size)
            throws SQLException, InterruptedException {
        int openedBefore = StubDriver.opened();
        PoolUnderTest pool = kind.open(PoolSettings.stub(name, size));
        if (!Polling.until(LIMIT, () -> StubDriver.opened() - openedBefore >= size)) {
            pool.close();
            throw new IllegalStateException(kind.title() + " opened " + (StubDriver.opened() - openedBefore) + " of "
                    + size + " connections in 10 s");
        }
        // The last opened connection may still be on its way into the pool.
        Thread.sleep(50);
        return pool;
    }
}
