package dev.reservoir.cluster;

import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.JitteredPause;
import dev.reservoir.cluster.protocol.SerialExecutor;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.protocol.StoreClock;
import dev.reservoir.cluster.protocol.StoreHealth;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A node id, 0 to 1,023, that no other process of the fleet has: for ids that are made without asking anybody. It is taken in the background,
 * kept for the life of the process by renewing it, and given back at the end.
 *
 * <p>Each node id is one item that says from when on it is free. A process that finds that moment in the past takes the id, in
 * one conditional write that moves the moment two lease times ahead; so does every renewal, three times in a lease time. The holder itself
 * believes in it for one lease time after the last renewal was sent. Whoever leaves in order frees its id earlier: after the time by which ids
 * may run ahead of its clock, which is half a lease time and at most 10 seconds, and a second more.
 *
 * <p>Ids carry the time of their maker's clock, which may be wrong. So the moment is later than the store's clock and than any time that
 * the holder's clock has shown, and the next holder waits until both its own clock and the store's are past it. Ids of one holder are
 * then all before those of the next, however their clocks differ.
 *
 * <p>A process that finds none free waits for one that will be, drawn at random, instead of looking again and again; so hundreds that
 * restart together do not meet at the same ones.
 *
 * <p>A process that is cut off from the store has no node id after a lease time: {@link #nodeId} then refuses. When the store is back, it goes on
 * with the same one if nobody has taken it, or else takes another. No method blocks but {@link #awaitNodeId} and {@link #close}.
 */
public final class NodeIdLease implements AutoCloseable {
    /** How many node ids there are. */
    public static final int NODES = 1_024;

    /** How long {@link #close} waits, and for how long {@link #leave} tries to give the id back. */
    private static final long CLOSE_NANOS = ClusterBudget.CLOSE_NANOS;

    /** Longest pause between two tries to give the id back. */
    private static final long LEAVING_PAUSE_NANOS = 250_000_000L;

    /** By how much ids may run ahead of the clock of whoever makes them, beside half a lease time. */
    private static final long AHEAD_MOST_NANOS = 10_000_000_000L;

    /** Between the last id that may have been made and the next holder. */
    private static final long MARGIN_NANOS = 1_000_000_000L;

    /** After so many refusals in a row others are faster on this page: another one is looked at. */
    private static final int REFUSALS_MOST = 4;

    /** Over how long those that wait for ids that become free at the same moment spread their writes. */
    private static final long SPREAD_NANOS = 250_000_000L;

    /**
     * How much of a lease time before it is free an id is waited for. One that is renewed is always further from it: its holder lives.
     */
    private static final double SOON = 1.5;

    /** When it is looked again if all ids are held by processes that live, counted in lease times. */
    private static final double LOOK_AGAIN = 1 / 6.0;

    private final ClusterSettings settings;
    private final SerialExecutor serial = new SerialExecutor();
    private final Time time;
    private final InstantSource wallClock;
    private final StoreClock clock;
    private final StoreCalls calls;
    private final RandomGenerator random;
    private final JitteredPause pause;
    private final String owner;
    private final long leaseNanos;

    /** The page of node ids that is looked at next, and where the search began; -1 if it has not. */
    private int page = -1;

    private int pagesLeft;

    /** Whether some that may be free were left out in this search. */
    private boolean leftSomeOut;

    /** Of the page that was looked at last: those that may be free, in the order in which they are tried. */
    private final List<Seen> candidates = new ArrayList<>();

    /** Of all pages that were looked at: those that are not free, and will be soon. */
    private final List<Seen> soon = new ArrayList<>();

    private int refusals;
    private boolean saidNone;
    private boolean leaving;
    private long leaveByNanos;
    private final CompletableFuture<Integer> first = new CompletableFuture<>();
    private final CompletableFuture<Void> left = new CompletableFuture<>();

    /** The latest time that this machine's clock has shown while a node id was held, in milliseconds since 1970. */
    private final AtomicLong latestWallMillis = new AtomicLong(Long.MIN_VALUE);

    /** Written at the desk, read anywhere. Null if there is none. */
    private volatile @Nullable Held held;

    /**
     * A node id as it was found.
     *
     * @param freeFromMillis from when on it is free; the least number if nobody ever had it
     */
    private record Seen(int nodeId, long freeFromMillis) {}

    /**
     * By two clocks: one may be set back, the other may stand still while a machine sleeps.
     *
     * @param fromMillis before this moment of the machine's clock ids may be those of the holder before
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
        this.clock = new StoreClock(time, wallClock, settings.cluster(), settings.log());
        StoreHealth reach = new StoreHealth(settings, time);
        BudgetContext around = new BudgetContext(settings, serial, time, clock, reach, random);
        this.calls = around.callsTo(store);
        this.pause = new JitteredPause(50_000_000L, Math.min(5_000_000_000L, leaseNanos / 6), random);
        this.owner = around.newLongId();
    }

    /**
     * Begins to take a node id, in the background.
     *
     * @param settings the cluster, the lease time, and by what service and host this process is known; the rest is not used
     * @param store where node ids are given out
     * @param time timers, on which nothing may block
     * @param wallClock this machine's clock, which may be wrong
     * @param random for ids and jitter; used by one thread at a time
     */
    public static NodeIdLease start(
            ClusterSettings settings, Store store, Time time, InstantSource wallClock, RandomGenerator random) {
        NodeIdLease lease = new NodeIdLease(settings, store, time, wallClock, random);
        lease.serial.enter(lease::search);
        return lease;
    }

    /**
     * The node id, now.
     *
     * @throws IllegalStateException if there is none: it has not been taken yet, or could not be renewed in time, or this is closed
     */
    public int nodeId() {
        Held now = held;
        if (now == null) {
            throw new IllegalStateException("no node id of " + settings.cluster() + " is held"
                    + (left.isDone() ? ": it was given back" : " yet; it is taken in the background"));
        }
        Instant wall = wallClock.instant();
        if (now.isTooEarly(wall)) {
            throw new IllegalStateException("node id " + now.nodeId + " of " + settings.cluster()
                    + " was another's until " + Instant.ofEpochMilli(now.fromMillis)
                    + "; the clock of this machine has gone back behind that, to " + wall);
        }
        if (now.isOver(time.nanos(), wall)) {
            throw new IllegalStateException("node id " + now.nodeId + " of " + settings.cluster()
                    + " could not be renewed within the lease time, " + settings.leaseTime()
                    + "; others may take it. It is tried again in the background");
        }
        noteWall(wall.toEpochMilli());
        return now.nodeId;
    }

    /** The lease time: for how long no other process gets the node id after this one has lost it. Ids may run ahead by half of it. */
    public Duration leaseTime() {
        return settings.leaseTime();
    }

    private void noteWall(long millis) {
        if (millis > latestWallMillis.get()) {
            latestWallMillis.accumulateAndGet(millis, Math::max);
        }
    }

    /** Whether there is a node id now. */
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

    /** Gives the node id back, in the background; others get it when all ids that were made with it are of the past. */
    public CompletionStage<Void> leave() {
        serial.enter(() -> {
            if (!leaving) {
                leaving = true;
                leaveByNanos = time.nanos() + CLOSE_NANOS;
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

    /** Gives the node id back and waits until that is done, for at most 5 seconds. Blocks. */
    @Override
    public void close() {
        try {
            leave().toCompletableFuture().get(CLOSE_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException e) {
            settings.log()
                    .warn(
                            "Reservoir: node id not given back, it will be free by itself  endpoint={} within=\"{}\"",
                            settings.cluster(),
                            settings.leaseTime().multipliedBy(2));
        }
    }

    private static int pages() {
        return (NODES + Store.KEYS_MOST - 1) / Store.KEYS_MOST;
    }

    /** Looks for a node id that is free, from any page on, page after page until all were seen once. */
    private void search() {
        if (leaving) {
            return;
        }
        if (pagesLeft == 0) {
            page = random.nextInt(pages());
            pagesLeft = pages();
            leftSomeOut = false;
            soon.clear();
        }
        int from = page * Store.KEYS_MOST;
        int to = Math.min(NODES, from + Store.KEYS_MOST);
        List<String> keys = new ArrayList<>();
        for (int id = from; id < to; id++) {
            keys.add(ItemKeys.node(settings.cluster(), id));
        }
        calls.send(store -> store.read(keys, false), (answer, error, sent) -> {
            if (answer == null) {
                again(this::search);
                return;
            }
            page = (page + 1) % pages();
            pagesLeft--;
            candidates.clear();
            for (int i = 0; i < answer.items().size(); i++) {
                Item item = answer.items().get(i);
                note(new Seen(from + i, item == null ? Long.MIN_VALUE : item.number(ItemKeys.FREE_FROM, 0)));
            }
            take();
        });
    }

    private void note(Seen node) {
        long waitMillis = node.freeFromMillis - earliestMillis();
        if (node.freeFromMillis == Long.MIN_VALUE || waitMillis < 0) {
            // At a random place, so that processes that start together try different ones.
            candidates.add(random.nextInt(candidates.size() + 1), node);
        } else if (waitMillis < SOON * leaseNanos / 1e6) {
            soon.add(node);
        }
    }

    private void take() {
        if (leaving) {
            return;
        }
        if (refusals >= REFUSALS_MOST) {
            refusals = 0;
            boolean others = soon.removeIf(node -> node.freeFromMillis < earliestMillis());
            leftSomeOut |= others || !candidates.isEmpty();
            candidates.clear();
        }
        if (!candidates.isEmpty()) {
            take(candidates.remove(candidates.size() - 1));
        } else if (pagesLeft > 0) {
            search();
        } else if (leftSomeOut) {
            again(this::search);
        } else {
            awaitOne();
        }
    }

    /** None is free. Waits for any of those that will be; if it knows of none, looks again after a while. */
    private void awaitOne() {
        if (!saidNone) {
            saidNone = true;
            settings.log().warn("Reservoir: no node id is free  endpoint={} nodes={}", settings.cluster(), NODES);
        }
        if (soon.isEmpty()) {
            double jitter = 0.75 + random.nextDouble() / 2;
            time.schedule((long) (leaseNanos * LOOK_AGAIN * jitter), () -> serial.enter(this::search));
            return;
        }
        Seen next = soon.remove(random.nextInt(soon.size()));
        long waitNanos = Math.max(0, next.freeFromMillis + 1 - earliestMillis()) * 1_000_000;
        time.schedule(
                waitNanos + random.nextLong(SPREAD_NANOS),
                () -> serial.enter(() -> {
                    if (earliestMillis() > next.freeFromMillis) {
                        candidates.add(next);
                        take();
                    } else {
                        // A clock went back.
                        again(this::search);
                    }
                }));
    }

    private void take(Seen node) {
        Condition unchanged = node.freeFromMillis == Long.MIN_VALUE
                ? Condition.absent(ItemKeys.FREE_FROM)
                : Condition.equal(ItemKeys.FREE_FROM, node.freeFromMillis);
        long free = freeFrom(2 * leaseNanos);
        Write write = Write.update(ItemKeys.node(settings.cluster(), node.nodeId), stamped(free), unchanged);
        calls.send(store -> store.write(write), (answer, error, sent) -> {
            if (answer != null && answer.applied()) {
                settings.log().info("Reservoir: node id taken  endpoint={} node={}", settings.cluster(), node.nodeId);
                if (leaving) {
                    giveBack(node.nodeId);
                } else {
                    // As after a renewal: the machine may have slept while the answer was on its way.
                    renewed(node, free, answer, sent);
                }
            } else if (answer != null) {
                refusals++;
                take();
            } else {
                // If it was done after all, the id is nobody's until it is free by itself.
                again(this::take);
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

    /** Earlier than the store's clock and than this machine's. */
    private long earliestMillis() {
        return Math.min(clock.leastMicros() / 1_000, wallClock.millis());
    }

    /** Later than the store's clock, and than any time that this machine's clock has shown. */
    private long latestMillis() {
        noteWall(wallClock.millis());
        return Math.max(clock.mostMicros() / 1_000, latestWallMillis.get()) + 1;
    }

    private long freeFrom(long afterNanos) {
        return latestMillis() + afterNanos / 1_000_000;
    }

    private void holds(Seen node, long sentNanos) {
        pause.reset();
        candidates.clear();
        soon.clear();
        pagesLeft = 0;
        refusals = 0;
        saidNone = false;
        if (leaving) {
            giveBack(node.nodeId);
            return;
        }
        long left = sentNanos + leaseNanos - time.nanos();
        held = new Held(
                node.nodeId,
                node.freeFromMillis,
                sentNanos + leaseNanos,
                wallClock.instant().plusNanos(left));
        serial.later(() -> first.complete(node.nodeId));
        long next = (long) (leaseNanos / 3.0 * (0.9 + random.nextDouble() / 5));
        time.schedule(next, () -> serial.enter(() -> renew(node)));
    }

    private void renew(Seen node) {
        if (leaving) {
            return;
        }
        long free = freeFrom(2 * leaseNanos);
        Write write = Write.update(
                ItemKeys.node(settings.cluster(), node.nodeId),
                List.of(Change.set(ItemKeys.FREE_FROM, free), Change.set(ItemKeys.RENEWED, clock.millis())),
                Condition.equal(ItemKeys.OWNER, owner),
                // A renewal that arrives late must not take back what a later one has written.
                Condition.atMost(ItemKeys.FREE_FROM, free));
        calls.send(store -> store.write(write), (answer, error, sent) -> renewed(node, free, answer, sent));
    }

    private void renewed(Seen node, long free, @Nullable Answer answer, long sent) {
        if (leaving) {
            return;
        }
        if (answer != null && answer.applied()) {
            if (free < latestMillis() + leaseNanos / 1_000_000) {
                // This machine slept, and the answer has told by how much: the id is kept for less than was meant.
                again(() -> renew(node));
            } else {
                holds(node, sent);
            }
            return;
        }
        Item found = answer == null ? null : answer.item();
        boolean taken = answer != null && (found == null || !owner.equals(found.text(ItemKeys.OWNER)));
        if (taken) {
            settings.log()
                    .warn(
                            "Reservoir: node id lost, taking another  endpoint={} node={}",
                            settings.cluster(),
                            node.nodeId);
            held = null;
            search();
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
            long next = Math.min(pause.next(), LEAVING_PAUSE_NANOS);
            if (answer == null && time.nanos() + next - leaveByNanos < 0) {
                time.schedule(next, () -> serial.enter(() -> giveBack(nodeId)));
            } else {
                serial.later(() -> left.complete(null));
            }
        });
    }

    /** By how much ids may be ahead of this machine's clock. */
    private long aheadNanos() {
        return Math.min(AHEAD_MOST_NANOS, leaseNanos / 2);
    }

    private void again(Runnable what) {
        time.schedule(pause.next(), () -> serial.enter(what));
    }
}
