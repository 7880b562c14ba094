package dev.reservoir.remote.pool;

import dev.reservoir.core.Counts;
import dev.reservoir.core.spi.Leases;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds {@code max_connections} of one server across all its user pools, and shares it fairly. Never opens or closes a
 * connection, reads no clock and has no thread.
 *
 * <p><b>A place before a connect.</b> A user pool gets a lease before it connects, and gives it back when the
 * connection is closed. So the number of open connections and connects never exceeds the limit.
 *
 * <p><b>Order.</b> A free place goes to a pool whose callers wait. Among these it goes to the pool with the fewest
 * places, and among equals to the pool that got its last place longest ago. Pools that only fill up to their minimum
 * come after all of them. So the number of waiters of one user does not matter to another user.
 *
 * <p><b>Recalls.</b> If no place is free and callers wait, a place is recalled from another pool:
 *
 * <ol>
 *   <li>from a pool with an idle connection beyond its minimum;
 *   <li>otherwise from any pool with an idle connection;
 *   <li>otherwise from a pool that holds at least two places more than the one that waits, or at least one if the one
 *       that waits holds none. Its connection is closed when its caller releases it.
 * </ol>
 *
 * <p>A pool below its minimum without waiting callers gets places of the first kind only, so minimums take nothing from
 * each other. In each case the pool with the most places is chosen. Two pools of nearly the same size take nothing from
 * each other, so connections are not closed and opened in turns without need. Only if more users wait than there are
 * places, a place changes its user with each release, because otherwise somebody would starve.
 *
 * <p><b>Why not the number of waiters.</b> Shares in proportion to the waiters would reward the user that sends the
 * most requests. Equal shares, filled up to what each user needs, do not.
 */
public final class ServerLeases {
    private static final Comparator<Share> FEWEST_FIRST =
            Comparator.<Share>comparingInt(Share::after).thenComparingLong(share -> share.lastTurn);

    // How well a pool can give a place: the higher the better.
    private static final int MORE_THAN_ITS_SHARE = 1;
    private static final int IDLE = 2;
    private static final int IDLE_BEYOND_MINIMUM = 3;

    private final String server;
    private final Runnable lookSoon;

    /** Guards everything below. Held while the counts of user pools are read, which take their locks for a moment. */
    private final ReentrantLock lock = new ReentrantLock();

    private final List<Share> shares = new ArrayList<>();
    private int max;
    private int overflowMax;
    private int held;
    private long turns;

    /**
     * Makes the leases of a server.
     *
     * @param overflowMax how many places beyond the maximum exist for a short time, while callers wait
     * @param lookSoon has {@link #look} called within some milliseconds; must not block. Runs when callers wait and no
     *     pool has a place to give, because a release of a connection is not reported here
     */
    public ServerLeases(String server, int max, int overflowMax, Runnable lookSoon) {
        this.lookSoon = lookSoon;
        this.server = server;
        this.max = max;
        this.overflowMax = overflowMax;
    }

    /**
     * Adds a user pool. It leaves when its reservoir has closed.
     *
     * @param min how many connections the pool keeps where possible
     */
    public Share join(String user, int min) {
        lock.lock();
        try {
            Share share = new Share(user, min);
            shares.add(share);
            return share;
        } finally {
            lock.unlock();
        }
    }

    /** Changes the limit. With a lower one, places are recalled until it is kept. Does not block. */
    public void setMax(int newMax, int newOverflowMax) {
        List<Runnable> actions = new ArrayList<>();
        lock.lock();
        try {
            max = newMax;
            overflowMax = newOverflowMax;
            readCounts();
            recallBeyondMax();
            plan(actions);
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
    }

    /**
     * Recalls the places beyond the maximum that waiting callers got, and looks for idle connections whose places other
     * pools need.
     */
    public void look() {
        List<Runnable> actions = new ArrayList<>();
        lock.lock();
        try {
            if (held > max) {
                readCounts();
                recallBeyondMax();
            }
            plan(actions);
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
    }

    /**
     * Recalls the places of idle connections. Returns how many.
     *
     * @param keepsMinimum whether each pool keeps its minimum
     */
    public int recallIdle(int count, boolean keepsMinimum) {
        return read(() -> {
            readCounts();
            int recalled = 0;
            for (Share share : shares) {
                while (recalled < count
                        && share.isIdle()
                        && (!keepsMinimum || share.after() > share.min)
                        && share.recall()) {
                    recalled++;
                }
            }
            return recalled;
        });
    }

    /** How many connections may be open. */
    public int max() {
        return read(() -> max);
    }

    /** How many connections are open, being opened or being closed. */
    public int held() {
        return read(() -> held);
    }

    /**
     * Whether another caller would wait for a release: each place is in use, or a caller waits for it. An idle
     * connection of another user leaves a place.
     */
    public boolean isFull() {
        return read(() -> {
            readCounts();
            int taken = 0;
            for (Share share : shares) {
                taken += share.inUse + share.waiting;
            }
            return taken >= max;
        });
    }

    /** Reads something while no place can pass from one pool to another. */
    public <R> R read(Supplier<R> reader) {
        lock.lock();
        try {
            return reader.get();
        } finally {
            lock.unlock();
        }
    }

    private String describe() {
        return read(() -> {
            long waiting =
                    shares.stream().filter(share -> !share.requests.isEmpty()).count();
            return "max_connections of server " + server + " (" + max + "): " + held + " open or opening for "
                    + shares.stream().filter(share -> share.held > 0).count() + " users, " + waiting
                    + " users wait for a place";
        });
    }

    // Decisions. All under the lock.

    private void readCounts() {
        shares.forEach(Share::readCounts);
    }

    /** Grants free places, then recalls as many as waiting callers need. The actions run after the lock is released. */
    private void plan(List<Runnable> actions) {
        if (shares.stream().allMatch(share -> share.requests.isEmpty())) {
            return;
        }
        readCounts();
        while (held < max) {
            Share next = nextToServe();
            if (next == null) {
                return;
            }
            grant(next, actions);
        }
        while (held < max + overflowMax && owed() == 0) {
            Share next = neediest();
            if (next == null || hasIdleVictim(next)) {
                break;
            }
            grant(next, actions);
        }
        recallForWaiters(actions);
    }

    private @Nullable Share nextToServe() {
        Share needy = neediest();
        return needy != null
                ? needy
                : shares.stream()
                        .filter(share -> !share.requests.isEmpty())
                        .min(FEWEST_FIRST)
                        .orElse(null);
    }

    private @Nullable Share neediest() {
        return shares.stream()
                .filter(share -> share.need() > share.promised)
                .min(FEWEST_FIRST)
                .orElse(null);
    }

    private void grant(Share share, List<Runnable> actions) {
        CompletableFuture<Leases.Lease> request = share.requests.removeLast();
        held++;
        share.held++;
        share.granted++;
        share.lastTurn = ++turns;
        Leases.Lease lease = new Place(share, server + "-" + turns);
        actions.add(() -> request.complete(lease));
    }

    private void recallForWaiters(List<Runnable> actions) {
        int coming = owed();
        Set<Share> refused = new HashSet<>();
        Share waiting;
        while ((waiting = neediest()) != null) {
            if (coming > 0) {
                coming--;
            } else if (!recallFor(waiting, refused)) {
                actions.add(lookSoon);
                break;
            }
            waiting.promised++;
        }
        recallForMinimums();
    }

    /** A pool below its minimum gets an idle connection's place of a pool that is above its own. */
    private void recallForMinimums() {
        for (Share share : shares) {
            int missing = Math.min(share.requests.size() - share.promised, share.min - share.after());
            for (; missing > 0; missing--) {
                Share victim = victimFor(share, Set.of());
                if (victim == null || rank(victim, share) < IDLE_BEYOND_MINIMUM || !victim.recall()) {
                    return;
                }
                share.promised++;
            }
        }
    }

    /** Recalls one place. Returns false if no pool has to give one. */
    private boolean recallFor(Share waiting, Set<Share> refused) {
        for (; ; ) {
            Share victim = victimFor(waiting, refused);
            if (victim == null) {
                return false;
            }
            if (victim.recall()) {
                return true;
            }
            refused.add(victim);
        }
    }

    private boolean hasIdleVictim(Share waiting) {
        Share victim = victimFor(waiting, Set.of());
        return victim != null && victim.isIdle();
    }

    private @Nullable Share victimFor(Share waiting, Set<Share> refused) {
        return shares.stream()
                .filter(share -> share != waiting && !refused.contains(share) && rank(share, waiting) > 0)
                .max(Comparator.<Share>comparingInt(share -> rank(share, waiting))
                        .thenComparingInt(Share::after)
                        .thenComparing(share -> share.lastTurn, Comparator.reverseOrder()))
                .orElse(null);
    }

    /** Tells how well this pool can give a place to the one that waits. Zero if it does not have to. */
    private static int rank(Share share, Share waiting) {
        if (share.after() <= 0) {
            return 0;
        }
        if (share.isIdle()) {
            return share.after() > share.min ? IDLE_BEYOND_MINIMUM : IDLE;
        }
        // A connect under way is not recalled. Its place would go round among the pools, and nobody would connect.
        boolean isInUse = share.inUse > share.owed;
        boolean holdsMore = share.after() - waiting.after() >= 2;
        return isInUse && (holdsMore || waiting.after() == 0) ? MORE_THAN_ITS_SHARE : 0;
    }

    private void recallBeyondMax() {
        Set<Share> refused = new HashSet<>();
        while (held - owed() > max) {
            Share largest = shares.stream()
                    .filter(share -> share.after() > 0 && !refused.contains(share))
                    .max(Comparator.comparing(Share::isIdle).thenComparing(FEWEST_FIRST))
                    .orElse(null);
            if (largest == null) {
                return;
            }
            if (!largest.recall()) {
                refused.add(largest);
            }
        }
    }

    private int owed() {
        int owed = 0;
        for (Share share : shares) {
            owed += share.owed;
        }
        return owed;
    }

    /**
     * The part of one user pool, as the source of its leases. All state is guarded by the lock of the server's leases.
     */
    public final class Share implements Leases {
        private final String user;
        private volatile int min;

        /**
         * Unanswered requests, the newest last. The engine may have given up the oldest, so the newest is served first.
         */
        private final Deque<CompletableFuture<Lease>> requests = new ArrayDeque<>();

        private volatile boolean hasRequests;
        private volatile @Nullable Supplier<Counts> counts;
        private @Nullable Holder holder;
        private int held;
        private volatile boolean hasLeft;

        /** Connects of drivers that are under way. */
        private int connecting;

        /**
         * Places that the engine gave back during their connects. An engine that closes does not wait for a connect
         * that hangs. But the server may have the connection, so the place is not free before the connect has ended.
         */
        private int kept;

        /** Places that were recalled and have not come back. */
        private int owed;

        private long lastTurn;

        // What the pool says of itself, read at the beginning of each decision, and what has changed since.
        private int idle;
        private int inUse;
        private int waiting;
        private int granted;
        private int promised;

        private Share(String user, int min) {
            this.user = user;
            this.min = min;
        }

        /** Sets the source of the pool's own numbers. Before that, the pool counts as idle and without waiters. */
        public void countedBy(Supplier<Counts> source) {
            counts = source;
        }

        /** Changes how many connections the pool keeps where possible. */
        public void setMin(int value) {
            min = value;
        }

        /** The user whose pool this is. */
        public String user() {
            return user;
        }

        /**
         * Reports that a caller of this pool waits. The pool may have requested its places before, when nobody needed
         * them. Takes a lock for a moment, and only if requests are unanswered.
         */
        public void waiterJoined() {
            if (hasRequests) {
                decide(() -> {});
            }
        }

        @Override
        public CompletionStage<Lease> acquire() {
            CompletableFuture<Lease> request = new CompletableFuture<>();
            decide(() -> requests.addLast(request));
            return request;
        }

        @Override
        public CompletionStage<Void> release(Lease lease) {
            decide(() -> {
                if (lease instanceof Place place && place.share == this && !place.released) {
                    place.released = true;
                    if (held > connecting) {
                        free();
                    } else {
                        kept++;
                    }
                }
            });
            return CompletableFuture.completedFuture(null);
        }

        private void free() {
            held--;
            owed = Math.max(0, owed - 1);
            ServerLeases.this.held--;
        }

        /** A driver begins to connect. {@link #connectEnded} must follow. Takes a lock for a moment. */
        void connectBegan() {
            read(() -> connecting++);
        }

        /** The connect has ended, and left a connection that the pool knows, or none. Takes a lock for a moment. */
        void connectEnded() {
            decide(() -> {
                connecting--;
                if (kept > 0) {
                    kept--;
                    free();
                }
            });
        }

        /** Whether the pool has closed. A connection that arrives now is of no use. */
        boolean hasLeft() {
            return hasLeft;
        }

        private void decide(Runnable change) {
            List<Runnable> actions = new ArrayList<>();
            lock.lock();
            try {
                change.run();
                dropOldRequests(actions);
                plan(actions);
                hasRequests = !requests.isEmpty();
            } finally {
                lock.unlock();
            }
            actions.forEach(Runnable::run);
        }

        /** A pool has no more attempts under way than the server has places. It has given up the older ones. */
        private void dropOldRequests(List<Runnable> actions) {
            while (requests.size() > max + overflowMax) {
                CompletableFuture<Lease> old = requests.removeFirst();
                actions.add(() -> old.completeExceptionally(
                        new RejectedExecutionException("a later request took the place of this one")));
            }
        }

        @Override
        public boolean queuesRequests() {
            return true;
        }

        @Override
        public String describe() {
            return ServerLeases.this.describe();
        }

        @Override
        public void attach(Holder reservoir) {
            read(() -> holder = reservoir);
        }

        @Override
        public void detach(Holder reservoir) {
            List<CompletableFuture<Lease>> unanswered = read(() -> {
                hasLeft = true;
                shares.remove(this);
                List<CompletableFuture<Lease>> all = List.copyOf(requests);
                requests.clear();
                hasRequests = false;
                return all;
            });
            unanswered.forEach(request -> request.completeExceptionally(
                    new RejectedExecutionException("the pool of " + user + " is closed")));
        }

        private void readCounts() {
            Supplier<Counts> source = counts;
            Counts now = source == null ? null : source.get();
            waiting = now == null ? 0 : now.waiting();
            idle = now == null ? 0 : Math.max(0, now.ready() - now.waiting());
            inUse = now == null ? 0 : now.inUse();
            granted = 0;
            promised = 0;
        }

        /** How many requests are for callers that wait. */
        private int need() {
            return Math.min(requests.size(), Math.max(0, waiting - granted));
        }

        /** How many places the pool has once it has given back what it owes and got what it was promised. */
        private int after() {
            return held - owed + promised;
        }

        private boolean isIdle() {
            return idle > owed;
        }

        /** Recalls one place. Returns false if the pool is closing, or all its places are recalled. */
        private boolean recall() {
            if (holder == null || holder.recall(1) == 0) {
                return false;
            }
            owed++;
            return true;
        }

        @Override
        public String toString() {
            return "Share[" + user + " of " + server + "]";
        }
    }

    /** The right to hold one connection to the server. */
    private static final class Place implements Leases.Lease {
        final Share share;
        private final String id;

        /** Guarded by the lock. */
        boolean released;

        Place(Share share, String id) {
            this.share = share;
            this.id = id;
        }

        @Override
        public String id() {
            return id;
        }
    }
}
