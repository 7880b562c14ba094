package dev.reservoir.cluster;

import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.BudgetPart;
import dev.reservoir.cluster.protocol.ItemKeys;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.store.Item;
import dev.reservoir.cluster.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Searches for a node id that is free. Reads page after page of node ids, begins at a random page, and proposes those
 * that may be free, in random order. If none is free, it waits for a random one of those that will be free soon. Never
 * takes a node id itself. Used only on the serial executor of the lease.
 */
final class NodeIdSearch extends BudgetPart {
    /** After this many refusals in a row, other processes are faster here, so the search moves to another page. */
    private static final int REFUSALS_MAX = 4;

    /** The time over which processes spread their writes when they wait for node ids that become free together. */
    private static final long SPREAD_NANOS = 250_000_000L;

    /**
     * Longest time before a node id becomes free that a process waits for it, in lease times. A node id that is renewed
     * always has more time left than this, because its holder is alive.
     */
    private static final double SOON = 1.5;

    /** Pause before the next search if living processes hold all node ids, in lease times. */
    private static final double SEARCH_AGAIN = 1 / 6.0;

    private static final int PAGES = (NodeIdLease.NODES + Store.KEYS_MAX - 1) / Store.KEYS_MAX;

    private final StoreCalls calls;
    private final RandomGenerator random;
    private final double leaseNanos;
    private final LongSupplier earliestMillis;
    private final Consumer<Runnable> afterPause;
    private final Consumer<Found> proposal;

    /** The page that is read next; -1 before the first search. */
    private int page = -1;

    private int pagesLeft;

    /** Whether this search skipped node ids that may be free. */
    private boolean skippedSome;

    /** Node ids of the page read last that may be free. The last one is proposed first. */
    private final List<Found> candidates = new ArrayList<>();

    /** Node ids of all pages read in this search that are not free yet but will be soon. */
    private final List<Found> soon = new ArrayList<>();

    private int refusals;
    private boolean noneLogged;
    private boolean stopped;

    /**
     * A node id as the search found it.
     *
     * @param freeFromMillis the moment from which the node id is free; {@link Long#MIN_VALUE} if nobody has ever held
     *     it
     */
    record Found(int nodeId, long freeFromMillis) {
        boolean isNew() {
            return freeFromMillis == Long.MIN_VALUE;
        }
    }

    /**
     * A search that has not begun.
     *
     * @param earliestMillis a moment that is neither after the store's time nor after this machine's time
     * @param afterPause runs a task after the pause that follows a failure
     * @param proposal takes the proposed node id, and calls {@link #refused}, {@link #next} or {@link #reset} later
     */
    NodeIdSearch(
            BudgetContext context,
            StoreCalls calls,
            LongSupplier earliestMillis,
            Consumer<Runnable> afterPause,
            Consumer<Found> proposal) {
        super(context);
        this.calls = calls;
        this.random = context.random();
        this.leaseNanos = settings.leaseTime().toNanos();
        this.earliestMillis = earliestMillis;
        this.afterPause = afterPause;
        this.proposal = proposal;
    }

    /** Proposes nothing more. */
    void stop() {
        stopped = true;
    }

    /** Forgets everything, because a node id is held. */
    void reset() {
        candidates.clear();
        soon.clear();
        pagesLeft = 0;
        refusals = 0;
        noneLogged = false;
    }

    /** Reads the next page. Begins a new search if this one has read each page once. */
    void read() {
        if (stopped) {
            return;
        }
        if (pagesLeft == 0) {
            page = random.nextInt(PAGES);
            pagesLeft = PAGES;
            skippedSome = false;
            soon.clear();
        }
        int from = page * Store.KEYS_MAX;
        int to = Math.min(NodeIdLease.NODES, from + Store.KEYS_MAX);
        List<String> keys = new ArrayList<>();
        for (int id = from; id < to; id++) {
            keys.add(ItemKeys.node(settings.cluster(), id));
        }
        calls.send(store -> store.read(keys, false), (answer, error, sent) -> {
            if (answer == null) {
                afterPause.accept(this::read);
                return;
            }
            page = (page + 1) % PAGES;
            pagesLeft--;
            candidates.clear();
            for (int i = 0; i < answer.items().size(); i++) {
                Item item = answer.items().get(i);
                note(new Found(from + i, item == null ? Long.MIN_VALUE : item.number(ItemKeys.FREE_FROM, 0)));
            }
            next();
        });
    }

    private void note(Found node) {
        long waitMillis = node.freeFromMillis - earliestMillis.getAsLong();
        if (node.isNew() || waitMillis < 0) {
            // Insert at a random place, so that processes that start together try different ones.
            candidates.add(random.nextInt(candidates.size() + 1), node);
        } else if (waitMillis < SOON * leaseNanos / 1e6) {
            soon.add(node);
        }
    }

    /** Another process was faster. Proposes the next node id. */
    void refused() {
        refusals++;
        next();
    }

    /** Proposes the next node id, or goes on searching. */
    void next() {
        if (stopped) {
            return;
        }
        if (refusals >= REFUSALS_MAX) {
            refusals = 0;
            boolean others = soon.removeIf(node -> node.freeFromMillis < earliestMillis.getAsLong());
            skippedSome |= others || !candidates.isEmpty();
            candidates.clear();
        }
        if (!candidates.isEmpty()) {
            proposal.accept(candidates.remove(candidates.size() - 1));
        } else if (pagesLeft > 0) {
            read();
        } else if (skippedSome) {
            afterPause.accept(this::read);
        } else {
            awaitOne();
        }
    }

    /** Waits for a random one of the node ids that will be free soon. Searches again later if there is none. */
    private void awaitOne() {
        if (!noneLogged) {
            noneLogged = true;
            log.warn("Reservoir: no node id is free  endpoint={} nodes={}", settings.cluster(), NodeIdLease.NODES);
        }
        if (soon.isEmpty()) {
            after((long) (leaseNanos * SEARCH_AGAIN * jitter(0.25)), this::read);
            return;
        }
        Found next = soon.remove(random.nextInt(soon.size()));
        long waitNanos = Math.max(0, next.freeFromMillis + 1 - earliestMillis.getAsLong()) * 1_000_000;
        after(waitNanos + random.nextLong(SPREAD_NANOS), () -> {
            if (earliestMillis.getAsLong() > next.freeFromMillis) {
                candidates.add(next);
                next();
            } else {
                // A clock was set back.
                afterPause.accept(this::read);
            }
        });
    }
}
