package dev.reservoir.dsql.id;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Makes ids for tables in a database without sequences. The ids are positive 64-bit numbers that grow with time. Never
 * asks another process or the database.
 *
 * <pre>
 *   0 | 41 bits: milliseconds since 2024-01-01 UTC, until 2093 | 10 bits: node | 12 bits: number within the millisecond
 * </pre>
 *
 * <p>One generator never repeats an id and never makes a smaller id after a larger one, whatever the clock does, while
 * its node id stays the same. Two generators with different node ids never make the same id. A generator makes 4,096
 * ids per millisecond. A caller that needs more waits for the next millisecond.
 *
 * <p><b>If the clock goes back</b>, the generator does not follow it. It uses up its last millisecond and then the
 * following ones, ahead of the clock, until the clock has caught up. While it is at most 5 ms ahead and its millisecond
 * is used up, it waits for the clock instead. If it would be more than 10 s ahead, it throws an
 * {@link IllegalStateException}. In that case the clock was wrong before or is wrong now, and the ids could repeat
 * those of an earlier process. For a leased node id, the bound is half of {@link NodeIdSource#protectedFor} if that is
 * less than 10 s. So the next owner of the node id starts after the last id.
 *
 * <p><b>After a restart</b> with the same node id, the clock must not be behind the last id. Before such a restart,
 * wait for as long as the clocks may differ. Or lease node ids, because a lease does not give out a node id again so
 * soon.
 *
 * <p>Safe for any number of threads. {@link #next} takes no lock. It blocks only in the cases above, for at most one
 * second.
 */
public final class SnowflakeIds {
    /** Start of the millisecond count. */
    public static final Instant EPOCH = Instant.parse("2024-01-01T00:00:00Z");

    /** Most ids that one node makes per millisecond. */
    public static final int PER_MILLISECOND = 4_096;

    private static final long EPOCH_MILLIS = EPOCH.toEpochMilli();
    private static final int SEQUENCE_BITS = 12;
    private static final int NODE_BITS = 10;
    private static final long SEQUENCE_MAX = PER_MILLISECOND - 1;
    private static final long MILLIS_MAX = (1L << 41) - 1;

    /** Largest distance ahead of the clock at which a generator waits for the clock. That wait is short. */
    private static final long SMALL_STEP_MILLIS = 5;

    /** Largest distance ahead of the clock. Beyond it the clock is considered wrong. */
    private static final long LARGE_STEP_MILLIS = 10_000;

    /** Interval at which a waiting thread reads the clock: a tenth of the millisecond that it waits for. */
    private static final long POLL_NANOS = 100_000;

    /** Longest wait for the clock in one call. A clock that stands still must not block the caller forever. */
    private static final long WAIT_MAX_NANOS = 1_000_000_000;

    private final NodeIdSource node;
    private final LongSupplier clockMillis;
    private final LongConsumer pauseNanos;

    /** Largest distance between the ids and the clock. */
    private final long aheadMaxMillis;

    /** The last id without its node: the milliseconds and the number within the millisecond. */
    private final AtomicLong last = new AtomicLong(-1);

    private SnowflakeIds(NodeIdSource node, LongSupplier clockMillis, LongConsumer pauseNanos) {
        this.node = node;
        this.clockMillis = clockMillis;
        this.pauseNanos = pauseNanos;
        this.aheadMaxMillis = Math.min(LARGE_STEP_MILLIS, node.protectedFor().toMillis() / 2);
    }

    /** Returns a generator for this node that uses the clock of this machine. */
    public static SnowflakeIds of(NodeIdSource node) {
        return of(node, System::currentTimeMillis, SnowflakeIds::pause);
    }

    /** Parks the thread. An interrupted one cannot be parked, so it spins for the few milliseconds. */
    private static void pause(long nanos) {
        if (Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(nanos);
        }
    }

    /**
     * Returns a generator with another clock.
     *
     * @param clockMillis returns milliseconds since 1970
     * @param pauseNanos waits for about the given time
     */
    public static SnowflakeIds of(NodeIdSource node, LongSupplier clockMillis, LongConsumer pauseNanos) {
        return new SnowflakeIds(node, clockMillis, pauseNanos);
    }

    /**
     * Returns the next id. Blocks for at most one second, as the class comment describes.
     *
     * @throws IllegalStateException if this process has no node id now, or the clock cannot be used
     */
    public long next() {
        long begunNanos = System.nanoTime();
        while (true) {
            long nodeId = nodeId();
            long before = last.get();
            long next = after(before, clockMillis.getAsLong() - EPOCH_MILLIS);
            if (next < 0) {
                if (System.nanoTime() - begunNanos > WAIT_MAX_NANOS) {
                    throw new IllegalStateException("the clock has stood still for a second; no id can be made");
                }
                pauseNanos.accept(POLL_NANOS);
            } else if (last.compareAndSet(before, next) && nodeId() == nodeId) {
                // Reads the node id again: another process may own it now if this thread was suspended.
                long millis = next >>> SEQUENCE_BITS;
                return (millis << (NODE_BITS + SEQUENCE_BITS)) | (nodeId << SEQUENCE_BITS) | (next & SEQUENCE_MAX);
            }
        }
    }

    private long nodeId() {
        long nodeId = node.nodeId();
        if (nodeId < 0 || nodeId > NodeIdSource.NODE_ID_MAX) {
            throw new IllegalStateException("node id is " + nodeId + "; allowed: 0 to " + NodeIdSource.NODE_ID_MAX);
        }
        return nodeId;
    }

    /** Returns the next value, or -1 if the caller must wait for the clock. */
    private long after(long before, long now) {
        if (now < 0 || now > MILLIS_MAX) {
            throw new IllegalStateException("the clock says " + Instant.ofEpochMilli(now + EPOCH_MILLIS)
                    + "; allowed: from " + EPOCH + " to " + Instant.ofEpochMilli(MILLIS_MAX + EPOCH_MILLIS));
        }
        long millis = before >> SEQUENCE_BITS;
        if (now > millis) {
            return now << SEQUENCE_BITS;
        }
        long ahead = millis - now;
        if (ahead > aheadMaxMillis) {
            throw new IllegalStateException("the clock went back by " + ahead
                    + " ms, behind the last id; allowed: up to " + aheadMaxMillis + " ms");
        }
        if ((before & SEQUENCE_MAX) < SEQUENCE_MAX) {
            return before + 1;
        }
        // The next value belongs to the next millisecond, so it is one more millisecond ahead of the clock.
        return ahead > SMALL_STEP_MILLIS && ahead < aheadMaxMillis ? before + 1 : -1;
    }

    /** Returns when an id was made, to the millisecond. Does not block. */
    public static Instant timeOf(long id) {
        return Instant.ofEpochMilli((checked(id) >>> (NODE_BITS + SEQUENCE_BITS)) + EPOCH_MILLIS);
    }

    /** Returns the node that made an id. Does not block. */
    public static int nodeOf(long id) {
        return (int) (checked(id) >>> SEQUENCE_BITS) & NodeIdSource.NODE_ID_MAX;
    }

    private static long checked(long id) {
        if (id < 0) {
            throw new IllegalArgumentException("id is " + id + "; allowed: 0 and more");
        }
        return id;
    }
}
