package dev.reservoir.dsql.standard;

import dev.reservoir.dsql.DsqlDataSource;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spreads the replacement of expired connections over time: a fixed number per second that depends on the pool's size.
 * HikariCP itself notices that connections are missing, and asks the keeper before it opens one. While a caller waits
 * for a connection, the keeper allows every connect at once. Never opens a connection itself.
 */
final class PoolKeeper {
    static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time over which the whole pool is replaced. */
    private static final int STAGGER_SECONDS = 120;

    /** Most replacements per second. */
    private static final int PER_TICK_MAX = 10;

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final Logger log = LoggerFactory.getLogger(DsqlDataSource.class);

    private final int perTick;
    private final IntSupplier waiting;
    private final LongSupplier nanos;
    private final PoolWarmup.Sleep sleep;

    /** Guarded by this, as is the next field. */
    private long tickBegunNanos;

    private int used;

    /** Creates a keeper. It reads {@code waiting}, the number of waiting callers, anew for each connect. */
    PoolKeeper(int size, IntSupplier waiting, LongSupplier nanos, PoolWarmup.Sleep sleep) {
        this.perTick = perTick(size);
        this.waiting = waiting;
        this.nanos = nanos;
        this.sleep = sleep;
        tickBegunNanos = nanos.getAsLong();
        log.info("DSQL pool keeper started  target_pool_size={} tick_interval=1s max_conns_per_tick={}", size, perTick);
    }

    /** Returns how many connections are opened per second, up to 10, to replace a pool within two minutes. */
    static int perTick(int size) {
        return Math.max(1, Math.min(PER_TICK_MAX, (size + STAGGER_SECONDS - 1) / STAGGER_SECONDS));
    }

    /** Blocks until the pace allows another connection. The first callers wait for about a second at most. */
    void awaitPace() throws InterruptedException {
        while (!tryTake()) {
            sleep.nanos(POLL_NANOS);
        }
    }

    private synchronized boolean tryTake() {
        long now = nanos.getAsLong();
        if (now - tickBegunNanos >= TICK_NANOS) {
            tickBegunNanos = now;
            used = 0;
        }
        boolean allowed = used < perTick || waiting.getAsInt() > 0;
        used += allowed ? 1 : 0;
        return allowed;
    }
}
