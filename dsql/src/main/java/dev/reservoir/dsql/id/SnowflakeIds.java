package dev.reservoir.dsql.id;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Makes ids for tables on a database that has no sequences: positive numbers of 64 bits that grow with time and are made without asking
 * anybody.
 *
 * <pre>
 *   0 | 41 bits: milliseconds since 2024-01-01 UTC, until 2093 | 10 bits: node | 12 bits: number within the millisecond
 * </pre>
 *
 * <p>One generator never makes an id twice and never a smaller one after a greater, as long as its node id stays the same, whatever the clock
 * does; two generators never make the same one if their node ids differ. 4,096 ids a millisecond: who wants more waits for the next one.
 *
 * <p><b>A clock that goes back</b> is not followed: the generator goes on where it was, on the rest of its last millisecond and then on the
 * following ones, ahead of the clock, until the clock has caught up. Up to 5 ms ahead it rather waits for the clock
 * when its millisecond is used up. If it would be more than 10 s ahead, it refuses with an {@link IllegalStateException}: such a clock was
 * set wrong before or is now, and ids made on it may be those of a process that ran before. Where the node id is leased, the bound is half of the time
 * for which the lease protects it ({@link NodeIdSource#protectedFor}), if that is less: whoever has the node id next begins after the last id.
 *
 * <p>What a restart forgets: a process that comes back as the same node must not have a clock that is behind its last id. Let as much time pass
 * as clocks may be off, or take node ids from a lease, which are not given out again so soon.
 *
 * <p>For any number of threads. {@link #next} takes no lock and only blocks as said above, for a second at most.
 */
public final class SnowflakeIds {
    /** Where the milliseconds begin. */
    public static final Instant EPOCH = Instant.parse("2024-01-01T00:00:00Z");

    /** How many ids one node makes in a millisecond. */
    public static final int PER_MILLISECOND = 4_096;

    private static final long EPOCH_MILLIS = EPOCH.toEpochMilli();
    private static final int SEQUENCE_BITS = 12;
    private static final int NODE_BITS = 10;
    private static final long SEQUENCE_MOST = PER_MILLISECOND - 1;
    private static final long MILLIS_MOST = (1L << 41) - 1;
    private static final long SMALL_STEP_MILLIS = 5;
    private static final long LARGE_STEP_MILLIS = 10_000;

    /** How often a thread looks at the clock while it waits for the next millisecond: after a tenth of one. */
    private static final long LOOK_NANOS = 100_000;

    private static final long WAIT_MOST_NANOS = 1_000_000_000;

    private final NodeIdSource node;
    private final LongSupplier clockMillis;
    private final LongConsumer pauseNanos;

    /** How far ahead of the clock ids are made at most. */
    private final long aheadMostMillis;

    /** The last id without its node: milliseconds and number within them. */
    private final AtomicLong last = new AtomicLong(-1);

    private SnowflakeIds(NodeIdSource node, LongSupplier clockMillis, LongConsumer pauseNanos) {
        this.node = node;
        this.clockMillis = clockMillis;
        this.pauseNanos = pauseNanos;
        this.aheadMostMillis = Math.min(LARGE_STEP_MILLIS, node.protectedFor().toMillis() / 2);
    }

    /** Ids of this node, by this machine's clock. */
    public static SnowflakeIds of(NodeIdSource node) {
        return of(node, System::currentTimeMillis, SnowflakeIds::pause);
    }

    /** An interrupted thread cannot be parked. It stays interrupted, and spins for the few milliseconds. */
    private static void pause(long nanos) {
        if (Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(nanos);
        }
    }

    /**
     * The same with another clock.
     *
     * @param clockMillis milliseconds since 1970
     * @param pauseNanos waits for about so long
     */
    public static SnowflakeIds of(NodeIdSource node, LongSupplier clockMillis, LongConsumer pauseNanos) {
        return new SnowflakeIds(node, clockMillis, pauseNanos);
    }

    /**
     * The next id.
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
                if (System.nanoTime() - begunNanos > WAIT_MOST_NANOS) {
                    throw new IllegalStateException("the clock has stood still for a second; no id can be made");
                }
                pauseNanos.accept(LOOK_NANOS);
            } else if (last.compareAndSet(before, next) && nodeId() == nodeId) {
                // Asked again: a thread may have stood still in between, and the node id may be another's by now.
                long millis = next >>> SEQUENCE_BITS;
                return (millis << (NODE_BITS + SEQUENCE_BITS)) | (nodeId << SEQUENCE_BITS) | (next & SEQUENCE_MOST);
            }
        }
    }

    private long nodeId() {
        long nodeId = node.nodeId();
        if (nodeId < 0 || nodeId > NodeIdSource.MOST) {
            throw new IllegalStateException("node id is " + nodeId + "; allowed: 0 to " + NodeIdSource.MOST);
        }
        return nodeId;
    }

    /** What follows on this, or -1 if that is to be waited for. */
    private long after(long before, long now) {
        if (now < 0 || now > MILLIS_MOST) {
            throw new IllegalStateException("the clock says " + Instant.ofEpochMilli(now + EPOCH_MILLIS)
                    + "; allowed: from " + EPOCH + " to " + Instant.ofEpochMilli(MILLIS_MOST + EPOCH_MILLIS));
        }
        long millis = before >> SEQUENCE_BITS;
        if (now > millis) {
            return now << SEQUENCE_BITS;
        }
        long ahead = millis - now;
        if (ahead > aheadMostMillis) {
            throw new IllegalStateException("the clock went back by " + ahead
                    + " ms, behind the last id; allowed: up to " + aheadMostMillis + " ms");
        }
        if ((before & SEQUENCE_MOST) < SEQUENCE_MOST) {
            return before + 1;
        }
        // The next one is of the next millisecond, and so one further ahead.
        return ahead > SMALL_STEP_MILLIS && ahead < aheadMostMillis ? before + 1 : -1;
    }

    /** When an id was made, to the millisecond. */
    public static Instant timeOf(long id) {
        return Instant.ofEpochMilli((checked(id) >>> (NODE_BITS + SEQUENCE_BITS)) + EPOCH_MILLIS);
    }

    /** By which node it was made. */
    public static int nodeOf(long id) {
        return (int) (checked(id) >>> SEQUENCE_BITS) & NodeIdSource.MOST;
    }

    private static long checked(long id) {
        if (id < 0) {
            throw new IllegalArgumentException("id is " + id + "; allowed: 0 and more");
        }
        return id;
    }
}
