package dev.reservoir.dsql.standard;

import dev.reservoir.dsql.DsqlDataSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spreads the replacement of connections whose time has come: so many in each second, by the size of the pool. The pool sees by
 * itself what it lacks, and asks here for a turn before it opens. While somebody waits for a connection every turn comes at once.
 */
final class PoolKeeper {
    static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int STAGGER_SECONDS = 120;
    private static final int PER_TICK_MAX = 10;
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final Logger log = LoggerFactory.getLogger(DsqlDataSource.class);

    private final int perTick;
    private final IntSupplier waiting;
    private final LongSupplier nanos;
    private final PoolWarmup.Sleep sleep;

    /** Guards the fields below. */
    private final ReentrantLock lock = new ReentrantLock();

    private long tickBegunNanos;
    private int used;

    /** With so many callers waiting, read anew each time. */
    PoolKeeper(int size, IntSupplier waiting, LongSupplier nanos, PoolWarmup.Sleep sleep) {
        this.perTick = perTick(size);
        this.waiting = waiting;
        this.nanos = nanos;
        this.sleep = sleep;
        tickBegunNanos = nanos.getAsLong();
        log.info("DSQL pool keeper started  target_pool_size={} tick_interval=1s max_conns_per_tick={}", size, perTick);
    }

    /** A pool of this size is replaced within two minutes, unless that takes more than 10 in a second. */
    static int perTick(int size) {
        return Math.max(1, Math.min(PER_TICK_MAX, (size + STAGGER_SECONDS - 1) / STAGGER_SECONDS));
    }

    /** Blocks until a connection may be opened: about a second at most for the first who ask. */
    void awaitTurn() throws InterruptedException {
        while (!takeTurn()) {
            sleep.nanos(LOOK_AGAIN_NANOS);
        }
    }

    private boolean takeTurn() {
        lock.lock();
        try {
            long now = nanos.getAsLong();
            if (now - tickBegunNanos >= TICK_NANOS) {
                tickBegunNanos = now;
                used = 0;
            }
            if (used < perTick || waiting.getAsInt() > 0) {
                used++;
                return true;
            }
            return false;
        } finally {
            lock.unlock();
        }
    }
}
