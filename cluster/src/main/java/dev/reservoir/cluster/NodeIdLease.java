package dev.reservoir.cluster;

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
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A node id, 0 to 1,023, that no other process of the fleet has: for ids that are made without asking anybody. It is taken in the background,
 * kept for the life of the process by renewing it, and given back at the end.
 *
 * <p>Each node id is one item that says, on the store's clock, from when on it is free. Whoever finds that moment in the past takes the id, in
 * one conditional write that moves the moment two lease times ahead; so does every renewal, three times in a lease time. The holder itself
 * believes in it for one lease time after the last renewal was sent. So the next holder comes at least a whole lease time after the last
 * one has stopped, whether that one died, was cut off or left in order, and clocks of machines may differ by as much.
 *
 * <p>A process that is cut off from the store has no node id after a lease time: {@link #nodeId} then refuses. When the store is back, it goes on
 * with the same one if nobody has taken it, or else takes another. No method blocks but {@link #awaitNodeId} and {@link #close}.
 */
public final class NodeIdLease implements AutoCloseable {
    /** How many node ids there are. */
    public static final int NODES = 1_024;

    /** How long {@link #close} waits. */
    private static final long CLOSE_SECONDS = 5;

    private static final int SENDS_AT_END = 3;

    private final ClusterSettings settings;
    private final Desk desk = new Desk();
    private final Time time;
    private final InstantSource wallClock;
    private final StoreClock clock;
    private final Calls calls;
    private final RandomGenerator random;
    private final Pause pause;
    private final String owner;
    private final long leaseNanos;

    /** The page of node ids that is looked at next, and where the search began; -1 if it has not. */
    private int page = -1;

    private int pagesLeft;

    /** Of the page that was looked at last: those that may be free, in the order in which they are tried. */
    private final List<Integer> candidates = new ArrayList<>();

    private boolean leaving;
    private int failuresAtEnd;
    private final CompletableFuture<Integer> first = new CompletableFuture<>();
    private final CompletableFuture<Void> left = new CompletableFuture<>();

    /** Written at the desk, read anywhere. Null if there is none. */
    private volatile @Nullable Held held;

    /** By two clocks: one may be set back, the other may stand still while a machine sleeps. */
    private record Held(int nodeId, long untilNanos, Instant until) {
        boolean isOver(long nowNanos, Instant now) {
            return nowNanos - untilNanos >= 0 || !now.isBefore(until);
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
        Reach reach = new Reach(settings, time);
        Surroundings around = new Surroundings(settings, desk, time, clock, reach, random);
        this.calls = around.callsTo(store);
        this.pause = new Pause(50_000_000L, Math.min(5_000_000_000L, leaseNanos / 6), random);
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
        lease.desk.enter(lease::search);
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
        if (now.isOver(time.nanos(), wallClock.instant())) {
            throw new IllegalStateException("node id " + now.nodeId + " of " + settings.cluster()
                    + " could not be renewed within the lease time, " + settings.leaseTime()
                    + "; others may take it. It is tried again in the background");
        }
        return now.nodeId;
    }

    /** Whether there is a node id now. */
    public boolean isHeld() {
        Held now = held;
        return now != null && !now.isOver(time.nanos(), wallClock.instant());
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

    /** Gives the node id back, in the background; others get it after a lease time. */
    public CompletionStage<Void> leave() {
        desk.enter(() -> {
            if (!leaving) {
                leaving = true;
                Held now = held;
                held = null;
                if (now == null) {
                    desk.later(() -> left.complete(null));
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
            leave().toCompletableFuture().get(CLOSE_SECONDS, TimeUnit.SECONDS);
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
        }
        int from = page * Store.KEYS_MOST;
        int to = Math.min(NODES, from + Store.KEYS_MOST);
        List<String> keys = new ArrayList<>();
        for (int id = from; id < to; id++) {
            keys.add(Items.node(settings.cluster(), id));
        }
        calls.send(store -> store.read(keys, false), (answer, error, sent) -> {
            if (answer == null) {
                again(this::search);
                return;
            }
            page = (page + 1) % pages();
            pagesLeft--;
            long now = clock.leastMicros() / 1_000;
            candidates.clear();
            for (int i = 0; i < answer.items().size(); i++) {
                Item item = answer.items().get(i);
                if (item == null || item.number(Items.FREE_FROM, 0) < now) {
                    // At a random place, so that processes that start together try different ones.
                    candidates.add(random.nextInt(candidates.size() + 1), from + i);
                }
            }
            take();
        });
    }

    private void take() {
        if (leaving) {
            return;
        }
        if (candidates.isEmpty()) {
            if (pagesLeft > 0) {
                search();
            } else {
                settings.log().warn("Reservoir: no node id is free  endpoint={} nodes={}", settings.cluster(), NODES);
                again(this::search);
            }
            return;
        }
        int nodeId = candidates.remove(candidates.size() - 1);
        Write write = Write.update(
                Items.node(settings.cluster(), nodeId),
                stamped(2 * leaseNanos),
                Condition.less(Items.FREE_FROM, clock.leastMicros() / 1_000).orAbsent());
        calls.send(store -> store.write(write), (answer, error, sent) -> {
            if (answer != null && answer.applied()) {
                settings.log().info("Reservoir: node id taken  endpoint={} node={}", settings.cluster(), nodeId);
                holds(nodeId, sent);
            } else if (answer != null) {
                take();
            } else {
                // If it was done after all, the id is nobody's until it is free by itself.
                again(this::take);
            }
        });
    }

    private List<Change> stamped(long freeAfterNanos) {
        return List.of(
                Change.set(Items.OWNER, owner),
                Change.set(Items.FREE_FROM, freeFrom(freeAfterNanos)),
                Change.set(Items.RENEWED, clock.millis()),
                Change.set(Items.SERVICE, settings.serviceName()),
                Change.set(Items.HOST, settings.host()));
    }

    /** Surely not earlier than so long after now, on the store's clock, in milliseconds since 1970. */
    private long freeFrom(long afterNanos) {
        return clock.mostMicros() / 1_000 + 1 + afterNanos / 1_000_000;
    }

    private void holds(int nodeId, long sentNanos) {
        pause.reset();
        candidates.clear();
        pagesLeft = 0;
        if (leaving) {
            giveBack(nodeId);
            return;
        }
        long left = sentNanos + leaseNanos - time.nanos();
        held = new Held(nodeId, sentNanos + leaseNanos, wallClock.instant().plusNanos(left));
        desk.later(() -> first.complete(nodeId));
        long next = (long) (leaseNanos / 3.0 * (0.9 + random.nextDouble() / 5));
        time.schedule(next, () -> desk.enter(() -> renew(nodeId)));
    }

    private void renew(int nodeId) {
        if (leaving) {
            return;
        }
        long free = freeFrom(2 * leaseNanos);
        Write write = Write.update(
                Items.node(settings.cluster(), nodeId),
                List.of(Change.set(Items.FREE_FROM, free), Change.set(Items.RENEWED, clock.millis())),
                Condition.equal(Items.OWNER, owner),
                // A renewal that arrives late must not take back what a later one has written.
                Condition.atMost(Items.FREE_FROM, free));
        calls.send(store -> store.write(write), (answer, error, sent) -> renewed(nodeId, free, answer, sent));
    }

    private void renewed(int nodeId, long free, @Nullable Answer answer, long sent) {
        if (leaving) {
            return;
        }
        if (answer != null && answer.applied()) {
            if (free < clock.mostMicros() / 1_000 + leaseNanos / 1_000_000) {
                // This machine slept, and the answer has told by how much: the id is kept for less than was meant.
                again(() -> renew(nodeId));
            } else {
                holds(nodeId, sent);
            }
            return;
        }
        Item found = answer == null ? null : answer.item();
        boolean taken = answer != null && (found == null || !owner.equals(found.text(Items.OWNER)));
        if (taken) {
            settings.log()
                    .warn("Reservoir: node id lost, taking another  endpoint={} node={}", settings.cluster(), nodeId);
            held = null;
            search();
        } else {
            again(() -> renew(nodeId));
        }
    }

    private void giveBack(int nodeId) {
        Write write = Write.update(
                Items.node(settings.cluster(), nodeId),
                List.of(Change.set(Items.FREE_FROM, freeFrom(leaseNanos))),
                Condition.equal(Items.OWNER, owner));
        calls.send(store -> store.write(write), (answer, error, sent) -> {
            if (answer == null && ++failuresAtEnd < SENDS_AT_END) {
                giveBack(nodeId);
            } else {
                desk.later(() -> left.complete(null));
            }
        });
    }

    private void again(Runnable what) {
        time.schedule(pause.next(), () -> desk.enter(what));
    }
}
