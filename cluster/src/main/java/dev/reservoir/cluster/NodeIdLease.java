package dev.reservoir.cluster;

import dev.reservoir.cluster.NodeIdSearch.Found;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.JitteredPause;
import dev.reservoir.cluster.protocol.SerialExecutor;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.protocol.StoreClock;
import dev.reservoir.cluster.store.Answer;
import dev.reservoir.cluster.store.Change;
import dev.reservoir.cluster.store.Condition;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.Write;
import dev.reservoir.core.spi.Time;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Leases a node id, 0 to 1,023, that no other process of the fleet has at the same time. Generators of unique ids use
 * it, so that they need to ask nobody for each id. The lease is taken in the background, renewed for the life of the
 * process, and given back at the end. Only {@link #awaitNodeId} and {@link #close} block.
 *
 * <p>Each node id is one item that says from when on the id is free. A process that finds this moment in the past takes
 * the id with one conditional write, which moves the moment two lease times ahead. Every renewal moves it in the same
 * way, three times per lease time. The holder itself relies on its id only for one lease time after it sent the last
 * renewal. A process that leaves in order frees its id earlier: after the time by which ids may run ahead of its clock,
 * plus one second. That time is half a lease time, and at most 10 seconds.
 *
 * <p>Ids carry the time of the clock of the process that makes them, and that clock may be wrong. The moment is
 * therefore later than the store's clock and later than any time that the holder's clock has shown. The next holder
 * waits until both its own clock and the store's clock are past it. All ids of one holder then precede those of the
 * next, however much their clocks differ.
 *
 * <p>A process that finds no free node id picks at random one that will be free soon and waits for it. It does not
 * poll. Hundreds of processes that restart together therefore do not all compete for the same ids.
 *
 * <p>A process that is cut off from the store has no node id after one lease time: {@link #nodeId} then throws. When
 * the store is back, the process continues with the same id if nobody has taken it. Otherwise it takes another one.
 */
public final class NodeIdLease implements AutoCloseable {
    /** The number of node ids. */
    public static final int NODES = 1_024;

    /** Upper bound for how far ids may run ahead of the process's clock. The other bound is half a lease time. */
    private static final long AHEAD_MAX_NANOS = 10_000_000_000L;

    /** Margin between the last id that a holder may have made and the moment from which the node id is free. */
    private static final long MARGIN_NANOS = 1_000_000_000L;

    private final ClusterSettings settings;
    private final SerialExecutor serial = new SerialExecutor();
    private final Time time;
    private final InstantSource wallClock;
    private final BudgetContext context;
    private final StoreClock clock;
    private final Logger log;
    private final StoreCalls calls;
    private final RandomGenerator random;
    private final JitteredPause pause;
    private final NodeIdSearch search;
    private final String owner;
    private final long leaseNanos;
    private boolean leaving;
    private long leaveByNanos;
    private final CompletableFuture<Integer> first = new CompletableFuture<>();
    private final CompletableFuture<Void> left = new CompletableFuture<>();

    /** The latest time that this machine's clock has shown while a node id was held, in milliseconds since 1970. */
    private final AtomicLong latestWallMillis = new AtomicLong(Long.MIN_VALUE);

    /** The node id that is held, or null. Written on the serial executor, read by any thread. */
    private volatile @Nullable Held held;

    /**
     * A node id that this process holds. The lease expires by two clocks, because one may be set back and the other may
     * stand still while the machine sleeps.
     *
     * @param fromMillis up to this moment of the machine's clock, ids may be those of the previous holder
     */
    private record Held(int nodeId, long fromMillis, long untilNanos, Instant until) {
        boolean isOver(long nowNanos, Instant now) {
            return nowNanos - untilNanos >= 0 || !now.isBefore(until);
        }

        boolean isTooEarly(Instant now) {
            return now.toEpochMilli() <= fromMillis;
        }
    }

    private NodeIdLease(
            ClusterSettings settings, Store store, Time time, InstantSource wallClock, RandomGenerator random) {
        this.settings = settings;
        this.time = time;
        this.wallClock = wallClock;
        this.random = random;
        this.leaseNanos = settings.leaseTime().toNanos();
        this.context = new BudgetContext(settings, serial, time, wallClock, random);
        this.clock = context.clock();
        this.log = context.log();
        this.calls = context.callsTo(store);
        this.pause = new JitteredPause(50_000_000L, Math.min(5_000_000_000L, leaseNanos / 6), random);
        this.owner = context.newLongId();
        this.search = new NodeIdSearch(context, calls, this::earliestMillis, this::again, this::take);
    }

    /**
     * Starts to take a node id in the background. Does not block.
     *
     * @param settings the cluster, the lease time, and the service name and host of this process; the rest is not used
     * @param store the store that holds the node ids
     * @param time runs the timers; nothing may block on them
     * @param wallClock this machine's clock, which may be wrong
     * @param random for ids and jitter; only one thread at a time uses it
     */
    public static NodeIdLease start(
            ClusterSettings settings, Store store, Time time, InstantSource wallClock, RandomGenerator random) {
        NodeIdLease lease = new NodeIdLease(settings, store, time, wallClock, random);
        lease.serial.enter(lease.search::read);
        return lease;
    }

    /**
     * Returns the node id that this process holds now. Does not block.
     *
     * @throws IllegalStateException if this process has not taken a node id yet, could not renew it in time, or has
     *     given it back; also if this machine's clock went back to a time at which another process held it
     */
    public int nodeId() {
        Held now = held;
        if (now == null) {
            throw new IllegalStateException("no node id of " + settings.cluster() + " is held"
                    + (left.isDone() ? ": it was given back" : " yet; one is taken in the background"));
        }
        Instant wall = wallClock.instant();
        if (now.isTooEarly(wall)) {
            throw new IllegalStateException("node id " + now.nodeId + " of " + settings.cluster()
                    + " belonged to another process until " + Instant.ofEpochMilli(now.fromMillis)
                    + "; the clock of this machine was set back to " + wall);
        }
        if (now.isOver(time.nanos(), wall)) {
            throw new IllegalStateException("node id " + now.nodeId + " of " + settings.cluster()
                    + " was not renewed within the lease time, " + settings.leaseTime()
                    + ", so other processes may take it; renewal continues in the background");
        }
        noteWall(wall.toEpochMilli());
        return now.nodeId;
    }

    /** The lease time. For this long after it was lost, no other process gets the node id. Does not block. */
    public Duration leaseTime() {
        return settings.leaseTime();
    }

    private void noteWall(long millis) {
        if (millis > latestWallMillis.get()) {
            latestWallMillis.accumulateAndGet(millis, Math::max);
        }
    }

    /** Whether this process holds a node id now. Does not block. */
    public boolean isHeld() {
        Held now = held;
        Instant wall = wallClock.instant();
        return now != null && !now.isTooEarly(wall) && !now.isOver(time.nanos(), wall);
    }

    /**
     * Waits for the first node id. Blocks for up to the given time.
     *
     * @throws IllegalStateException if there was none in that time
     */
    public int awaitNodeId(Duration atMost) throws InterruptedException {
        try {
            return first.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            throw new IllegalStateException("no node id of " + settings.cluster() + " within " + atMost, e);
        }
    }

    /** Gives the node id back in the background, for when all ids made with it lie in the past. Does not block. */
    public CompletionStage<Void> leave() {
        serial.enter(() -> {
            if (!leaving) {
                leaving = true;
                search.stop();
                leaveByNanos = time.nanos() + BudgetContext.LEAVE_NANOS;
                pause.reset();
                Held now = held;
                held = null;
                if (now == null) {
                    serial.later(() -> left.complete(null));
                } else {
                    giveBack(now.nodeId);
                }
            }
        });
        return left;
    }

    /** Gives the node id back and waits for at most 5 seconds until that is done. Blocks. */
    @Override
    public void close() {
        if (!BudgetContext.awaitLeft(leave())) {
            log.warn(
                    "Reservoir: could not give the node id back, it becomes free by itself  endpoint={} within=\"{}\"",
                    settings.cluster(),
                    settings.leaseTime().multipliedBy(2));
        }
    }

    private void take(Found node) {
        Condition unchanged = node.isNew()
                ? Condition.absent(ItemKeys.FREE_FROM)
                : Condition.equal(ItemKeys.FREE_FROM, node.freeFromMillis());
        long free = freeFrom(2 * leaseNanos);
        Write write = Write.update(ItemKeys.node(settings.cluster(), node.nodeId()), stamped(free), unchanged);
        calls.send(store -> store.write(write), (answer, error, sent) -> {
            if (answer != null && answer.applied()) {
                log.info("Reservoir: node id taken  endpoint={} node={}", settings.cluster(), node.nodeId());
                if (leaving) {
                    giveBack(node.nodeId());
                } else {
                    // Check the time as after a renewal, because the machine may have slept meanwhile.
                    renewed(node, free, answer, sent);
                }
            } else if (answer != null) {
                search.refused();
            } else {
                // If the write was applied after all, nobody uses the node id until its lease expires.
                again(search::next);
            }
        });
    }

    private List<Change> stamped(long freeFromMillis) {
        return List.of(
                Change.set(ItemKeys.OWNER, owner),
                Change.set(ItemKeys.FREE_FROM, freeFromMillis),
                Change.set(ItemKeys.RENEWED, clock.millis()),
                Change.set(ItemKeys.SERVICE, settings.serviceName()),
                Change.set(ItemKeys.HOST, settings.host()));
    }

    /** A moment that is neither after the store's time nor after this machine's time. */
    private long earliestMillis() {
        return Math.min(clock.earliestMicros() / 1_000, wallClock.millis());
    }

    /** A moment that is later than the store's time and than any time that this machine's clock has shown. */
    private long latestMillis() {
        noteWall(wallClock.millis());
        return Math.max(clock.latestMicros() / 1_000, latestWallMillis.get()) + 1;
    }

    private long freeFrom(long afterNanos) {
        return latestMillis() + afterNanos / 1_000_000;
    }

    private void holds(Found node, long sentNanos) {
        pause.reset();
        search.reset();
        long left = sentNanos + leaseNanos - time.nanos();
        held = new Held(
                node.nodeId(),
                node.freeFromMillis(),
                sentNanos + leaseNanos,
                wallClock.instant().plusNanos(left));
        serial.later(() -> first.complete(node.nodeId()));
        long next = (long) (leaseNanos / 3.0 * (0.9 + random.nextDouble() / 5));
        time.schedule(next, () -> serial.enter(() -> renew(node)));
    }

    private void renew(Found node) {
        if (leaving) {
            return;
        }
        long free = freeFrom(2 * leaseNanos);
        Write write = Write.update(
                ItemKeys.node(settings.cluster(), node.nodeId()),
                List.of(Change.set(ItemKeys.FREE_FROM, free), Change.set(ItemKeys.RENEWED, clock.millis())),
                Condition.equal(ItemKeys.OWNER, owner),
                // A renewal that arrives late must not move the moment back that a later renewal has written.
                Condition.atMost(ItemKeys.FREE_FROM, free));
        calls.send(store -> store.write(write), (answer, error, sent) -> renewed(node, free, answer, sent));
    }

    private void renewed(Found node, long free, @Nullable Answer answer, long sent) {
        if (leaving) {
            return;
        }
        if (answer != null && answer.applied()) {
            if (free < latestMillis() + leaseNanos / 1_000_000) {
                // The machine slept. The renewal covers less time than intended, so repeat it.
                again(() -> renew(node));
            } else {
                holds(node, sent);
            }
            return;
        }
        Item found = answer == null ? null : answer.item();
        boolean taken = answer != null && (found == null || !owner.equals(found.text(ItemKeys.OWNER)));
        if (taken) {
            log.warn("Reservoir: node id lost, taking another  endpoint={} node={}", settings.cluster(), node.nodeId());
            held = null;
            search.read();
        } else {
            again(() -> renew(node));
        }
    }

    private void giveBack(int nodeId) {
        Write write = Write.update(
                ItemKeys.node(settings.cluster(), nodeId),
                List.of(Change.set(ItemKeys.FREE_FROM, freeFrom(aheadNanos() + MARGIN_NANOS))),
                Condition.equal(ItemKeys.OWNER, owner));
        calls.send(store -> store.write(write), (answer, error, sent) -> {
            long next = Math.min(pause.next(), BudgetContext.LEAVE_PAUSE_NANOS);
            if (answer == null && time.nanos() + next - leaveByNanos < 0) {
                time.schedule(next, () -> serial.enter(() -> giveBack(nodeId)));
            } else {
                serial.later(() -> left.complete(null));
            }
        });
    }

    /** How far ids may run ahead of this machine's clock. */
    private long aheadNanos() {
        return Math.min(AHEAD_MAX_NANOS, leaseNanos / 2);
    }

    private void again(Runnable what) {
        time.schedule(pause.next(), () -> serial.enter(what));
    }
}
