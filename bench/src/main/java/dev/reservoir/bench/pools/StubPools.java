package dev.reservoir.bench.pools;

import dev.reservoir.bench.stub.StubDriver;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/** Opens pools of stub connections and waits until they are full. */
public final class StubPools {

    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private StubPools() {}

    /**
     * A pool that has opened all its connections. Blocks for as long as that takes, 10 s at most. Looks at the driver
     * and leaves the pool alone, because a checkout in the middle of a fill is a case of its own: Agroal 3.2.1 may then
     * leave it waiting until its time is up.
     */
    public static PoolUnderTest openFull(PoolKind kind, String name, int size)
            throws SQLException, InterruptedException {
        int openedBefore = StubDriver.opened();
        long beganNanos = System.nanoTime();
        PoolUnderTest pool = kind.open(PoolSettings.stub(name, size));
        while (StubDriver.opened() - openedBefore < size) {
            if (System.nanoTime() - beganNanos > LIMIT_NANOS) {
                pool.close();
                throw new IllegalStateException(kind.title() + " opened " + (StubDriver.opened() - openedBefore)
                        + " of " + size + " connections in 10 s");
            }
            Thread.sleep(1);
        }
        // What was opened last may still be on its way into the pool.
        Thread.sleep(50);
        return pool;
    }
}
