package dev.reservoir.core;

import dev.reservoir.core.NoConnectionException.Why;
import dev.reservoir.core.internal.Counters;
import dev.reservoir.core.internal.Entry;
import dev.reservoir.core.internal.Explanation;
import dev.reservoir.core.internal.Gate;
import dev.reservoir.core.internal.Hearing;
import dev.reservoir.core.internal.Holders;
import dev.reservoir.core.internal.Keeper;
import dev.reservoir.core.internal.ReadyStore;
import dev.reservoir.core.internal.WaitQueue;
import dev.reservoir.core.internal.Waiter;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps connections ready and lends them. Never opens or closes one on a borrower's path.
 *
 * <p>Do not block: {@link #tryAcquire}, {@link #acquireAsync}, {@link #release}, {@link #discard}, {@link #suspectAll},
 * {@link #evict}, {@link #flush}, {@link #pause}, {@link #resume}, {@link #setTargets}, {@link #whenReady}, {@link #closeAsync}.
 * Take a lock for a moment: {@link #stats}, {@link #loans}, {@link #targets}. Block: {@link #acquire}, {@link #awaitReady},
 * {@link #close}.
 *
 * @param <T> the connection
 */
public final class Reservoir<T> implements AutoCloseable {
    /** Every sixteenth loan of a connection is timed, so that a return mostly reads no clock. */
    private static final long USE_SAMPLE = 15;

    private final String name;
    private final Settings settings;
    private final Time time;
    private final @Nullable SystemTime ownTime;
    private final Gate gate = new Gate();
    private final ReadyStore<T> store;
    private final WaitQueue<T> waiters;
    private final Keeper<T> keeper;
    private final Hearing<T> hearing;
    private final boolean hearsLoans;
    private final boolean tracksLoans;
    private final boolean stampsReturns;
    private final Counters counters = new Counters();
    private final Explanation explanation;
    private final Executor callbacks;
    private volatile boolean closed;

    private Reservoir(Builder<T> builder) {
        name = builder.name;
        settings = builder.settings;
        Time given = builder.time;
        if (given == null) {
            SystemTime own = new SystemTime("reservoir-" + name);
            time = own;
            ownTime = own;
        } else {
            time = given;
            ownTime = null;
        }
        hearing = new Hearing<>(builder.listeners);
        hearsLoans = hearing.hearsLoans();
        tracksLoans = settings.tracksLoans();
        stampsReturns = builder.stampsReturns;
        callbacks = builder.callbacks;
        Permits permits = builder.permitsOn(time);
        store = new ReadyStore<>(
                builder.targets.maxOpen() + settings.successorAllowanceFor(builder.targets.maxOpen()),
                settings.lanes());
        keeper = new Keeper<>(
                builder.targets,
                settings,
                time,
                builder.random,
                builder.connector,
                permits,
                builder.leases,
                store,
                gate,
                hearing,
                counters);
        waiters = keeper.waiters();
        explanation = new Explanation(name, settings, permits, builder.leases);
        keeper.start();
    }

    /** A reservoir of what this connector opens. */
    public static <T> Builder<T> builder(Connector<T> connector) {
        return new Builder<>(connector);
    }

    // Checkout.

    /**
     * Takes a ready connection, or answers null at once. Never blocks. May answer null while the oldest waiter has a right to
     * what is ready.
     */
    public @Nullable Pooled<T> tryAcquire() {
        long now = time.nanos();
        if (now < gate.shutFromNanos) {
            Entry<T> entry = waiters.claimLendable(now);
            if (entry != null) {
                return lent(entry, now);
            }
        }
        return null;
    }

    /**
     * Takes a connection. At once, without a lock and without I/O, if one is ready (promise 3); otherwise as the settings say
     * on exhaustion: blocks up to the time-out, in order of arrival, or fails at once.
     *
     * @throws NoConnectionException if none could be had; its message says why
     * @throws InterruptedException if the thread was interrupted while it waited; no connection is lost by that
     */
    public Pooled<T> acquire(long timeoutNanos) throws InterruptedException {
        long now = time.nanos();
        if (now < gate.shutFromNanos) {
            Entry<T> entry = waiters.claimLendable(now);
            if (entry != null) {
                return lent(entry, now);
            }
        }
        return acquireInTurn(now, timeoutNanos);
    }

    /** As {@link #acquire(long)}. */
    public Pooled<T> acquire(Duration timeout) throws InterruptedException {
        return acquire(timeout.toNanos());
    }

    /**
     * Takes a connection without blocking: the future completes with one in turn, or exceptionally with {@link
     * NoConnectionException} by the time-out. Cancelling it leaves the queue, and loses no connection.
     */
    public CompletableFuture<Pooled<T>> acquireAsync(long timeoutNanos) {
        Pooled<T> ready = tryAcquire();
        if (ready != null) {
            return CompletableFuture.completedFuture(ready);
        }
        counters.empties.increment();
        hearing.tell(Listener::empty);
        long now = time.nanos();
        if (closed) {
            return CompletableFuture.failedFuture(explanation.closed());
        }
        if (settings.exhaustion() == Exhaustion.FAIL || timeoutNanos <= 0) {
            return CompletableFuture.failedFuture(refusal(Why.EMPTY, 0));
        }
        return new AsyncCheckout(now, timeoutNanos).begin();
    }

    private Pooled<T> acquireInTurn(long sinceNanos, long timeoutNanos) throws InterruptedException {
        if (closed) {
            throw explanation.closed();
        }
        counters.empties.increment();
        hearing.tell(Listener::empty);
        if (settings.exhaustion() == Exhaustion.FAIL || timeoutNanos <= 0) {
            throw refusal(Why.EMPTY, 0);
        }
        Waiter.Parked<T> waiter = new Waiter.Parked<>(sinceNanos);
        if (!waiters.join(waiter)) {
            throw refusal(Why.QUEUE_FULL, 0);
        }
        hearing.tell(Listener::waitBegan);
        keeper.waiterJoined();
        boolean served = false;
        try {
            Entry<T> entry = awaitTurn(waiter, sinceNanos + timeoutNanos);
            served = entry != null;
            if (entry == null) {
                throw closed ? explanation.closed() : refusal(Why.TIMEOUT, timeoutNanos);
            }
            return lent(entry, time.nanos());
        } finally {
            left(waiter, served);
        }
    }

    /** Parks until something is handed over or the thread, woken to look for itself, finds something. Null at the deadline. */
    private @Nullable Entry<T> awaitTurn(Waiter.Parked<T> waiter, long deadlineNanos) throws InterruptedException {
        for (; ; ) {
            waiter.beforeParking();
            if (waiter.isOver()) {
                return waiter.handed();
            }
            long now = time.nanos();
            if (waiters.mayTake(waiter, now)) {
                Entry<T> found = waiters.claimLendable(now);
                if (found != null) {
                    if (waiter.giveUp()) {
                        return found;
                    }
                    restore(found);
                    continue;
                }
            }
            if (now >= deadlineNanos) {
                if (waiter.giveUp()) {
                    return null;
                }
                continue;
            }
            if (closed) {
                waiter.giveUp();
                continue;
            }
            LockSupport.parkNanos(this, deadlineNanos - now);
            if (Thread.interrupted()) {
                if (!waiter.giveUp()) {
                    Entry<T> unwanted = waiter.handed();
                    if (unwanted != null) {
                        restore(unwanted);
                    }
                }
                throw new InterruptedException(name + ": interrupted while waiting for a connection");
            }
        }
    }

    private void left(Waiter<T> waiter, boolean served) {
        waiters.leave(waiter);
        long waited = time.nanos() - waiter.sinceNanos;
        counters.waitTime.record(waited);
        hearing.tell(l -> l.waitEnded(waited, served));
        if (gate.waiting != 0 && waiter.gaveUp()) {
            waiters.serve();
        }
    }

    private Pooled<T> lent(Entry<T> entry, long now) {
        entry.lentNanos = now;
        entry.uses++;
        entry.onLoan = true;
        entry.holderId = Thread.currentThread().getId();
        if (tracksLoans) {
            entry.stack = new Throwable("taken here");
        }
        if (hearsLoans) {
            hearing.tellOfLoan(l -> l.lent(entry));
        }
        return entry;
    }

    // Return.

    /** Gives a connection back that works. Never blocks; closing it, if its time has come, happens elsewhere. */
    public void release(Pooled<T> pooled) {
        Entry<T> entry = (Entry<T>) pooled;
        ended(entry);
        if (entry.mark != null) {
            keeper.takeBack(entry);
        } else {
            restore(entry);
        }
    }

    /** Gives a connection back that is not to be lent again. Never blocks. */
    public void discard(Pooled<T> pooled, DiscardReason reason) {
        Entry<T> entry = (Entry<T>) pooled;
        ended(entry);
        keeper.discard(entry, reason);
    }

    private void ended(Entry<T> entry) {
        if (!entry.onLoan) {
            throw new IllegalStateException("bug: " + entry + " is given back and is not on loan");
        }
        entry.onLoan = false;
        if (tracksLoans) {
            entry.stack = null;
        }
        if (stampsReturns || (entry.uses & USE_SAMPLE) == 1) {
            long now = time.nanos();
            entry.returnedNanos = now;
            if ((entry.uses & USE_SAMPLE) == 1) {
                counters.useTime.record(now - entry.lentNanos);
            }
        }
        if (hearsLoans) {
            hearing.tellOfLoan(l -> l.returned(entry));
        }
    }

    /** Makes an owned connection available again: to the oldest waiter if it is its turn, else to whoever comes first. */
    private void restore(Entry<T> entry) {
        if (gate.waiting != 0 && waiters.handOver(entry)) {
            return;
        }
        store.putBack(entry);
        if (gate.waiting != 0) {
            waiters.serve();
        }
    }

    // Management.

    /** A sign of trouble was seen: every connection last proven before now is proven again before it is lent. */
    public void suspectAll() {
        keeper.suspectAll();
    }

    /** Retires this connection: now if it is ready, on return if it is lent. */
    public void evict(Pooled<T> pooled) {
        keeper.evict((Entry<T>) pooled);
    }

    /** Retires every connection that is open now: ready ones at once, lent ones on return. For fail-over. */
    public void flush() {
        keeper.flush();
    }

    /** Stops lending and opening; checkouts wait until {@link #resume} or their deadline. Loans go on. */
    public void pause() {
        keeper.setPaused(true);
    }

    /** Goes on after {@link #pause}. */
    public void resume() {
        keeper.setPaused(false);
    }

    /** Changes how many connections are held; takes effect soon. */
    public void setTargets(Targets targets) {
        keeper.setTargets(targets);
    }

    /** How many connections are to be held. */
    public Targets targets() {
        return keeper.targets();
    }

    /** Completes when so many connections are ready or lent. Cancel it to stop watching. */
    public CompletableFuture<Void> whenReady(int count) {
        return keeper.whenUsable(count);
    }

    /** Blocks until so many connections are ready or lent; false if that takes longer than the time-out. */
    public boolean awaitReady(int count, Duration timeout) throws InterruptedException {
        return await(whenReady(count), timeout.toNanos());
    }

    /** The numbers at one instant. */
    public Stats stats() {
        return keeper.inspect(view -> {
            Counters c = view.counters();
            long checkouts = view.checkouts();
            Durations waits = c.waitTime.snapshot(0);
            return new Stats(
                    view.targets(),
                    view.ready(),
                    view.size() - view.ready() - view.proving(),
                    view.proving(),
                    view.overflow(),
                    view.opening(),
                    view.waitingForLease(),
                    view.waitingForPermit(),
                    view.closing(),
                    waiters.waiting(),
                    view.paused(),
                    checkouts,
                    c.empties.sum(),
                    c.timeouts.sum(),
                    view.opened(),
                    view.closed(),
                    Map.copyOf(view.discards()),
                    Map.copyOf(view.openFailures()),
                    view.leaseReleaseFailures(),
                    c.waitTime.snapshot(Math.max(0, checkouts - waits.count())),
                    waits,
                    c.useTime.snapshot(0),
                    view.openTime());
        });
    }

    /** Who has held a connection for at least so long, the longest first. With stacks if loans are tracked. */
    public List<LoanReport> loans(Duration atLeast) {
        return keeper.inspect(view -> Holders.of(view.everyone(), time.nanos(), atLeast.toNanos()));
    }

    /** The name given at the start. */
    public String name() {
        return name;
    }

    /** The settings given at the start. */
    public Settings settings() {
        return settings;
    }

    /** The reservoir's clock, which {@link Pooled} speaks of. */
    public long nanos() {
        return time.nanos();
    }

    /** Whether it was closed, or is being closed. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Lends nothing more, waits for loans to come back until the time-out, then closes the rest under their borrowers. The
     * future completes when no connection, thread, timer or lease is left (promise 9).
     */
    public CompletableFuture<Void> closeAsync(Duration drain) {
        closed = true;
        CompletableFuture<Void> done = keeper.close(drain.toNanos(), explanation.closed());
        SystemTime own = ownTime;
        return own == null ? done : done.thenRun(own::close);
    }

    /** {@link #closeAsync} with no time for loans to come back; blocks until nothing is left, a minute at most. */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /** {@link #closeAsync}, and blocks until nothing is left, or for a minute after the time-out. */
    public void close(Duration drain) {
        boolean interrupted = false;
        try {
            await(closeAsync(drain), drain.toNanos() + TimeUnit.MINUTES.toNanos(1));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "Reservoir[" + name + "]";
    }

    private NoConnectionException refusal(Why why, long waitedNanos) {
        counters.timeouts.increment();
        return explanation.of(why, waitedNanos, keeper, time.nanos());
    }

    private static boolean await(CompletableFuture<Void> done, long timeoutNanos) throws InterruptedException {
        try {
            done.get(timeoutNanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            done.cancel(false);
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("bug: waiting for a condition failed", e);
        }
    }

    /** One asynchronous checkout in the queue. */
    private final class AsyncCheckout extends CompletableFuture<Pooled<T>> {
        private final long timeoutNanos;
        private final Waiter.Deferred<T> waiter;
        private volatile Time.@Nullable Timer timer;

        AsyncCheckout(long sinceNanos, long timeoutNanos) {
            this.timeoutNanos = timeoutNanos;
            this.waiter = new Waiter.Deferred<>(sinceNanos, () -> callbacks.execute(this::handed));
        }

        AsyncCheckout begin() {
            if (!waiters.join(waiter)) {
                completeExceptionally(refusal(Why.QUEUE_FULL, 0));
                return this;
            }
            hearing.tell(Listener::waitBegan);
            Time.Timer deadline = time.schedule(timeoutNanos, () -> giveUp(true));
            timer = deadline;
            keeper.waiterJoined();
            waiters.serve();
            if (waiter.isOver()) {
                deadline.cancel();
            }
            if (closed) {
                giveUp(false);
            }
            return this;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            giveUp(false);
            return cancelled;
        }

        private void giveUp(boolean timedOut) {
            if (waiter.giveUp()) {
                left(false);
                if (timedOut || closed) {
                    NoConnectionException why = closed ? explanation.closed() : refusal(Why.TIMEOUT, timeoutNanos);
                    callbacks.execute(() -> completeExceptionally(why));
                }
            }
        }

        private void handed() {
            Entry<T> entry = null;
            try {
                entry = waiter.handed();
            } catch (RuntimeException e) {
                left(false);
                completeExceptionally(e);
                return;
            }
            left(true);
            if (entry != null && !complete(lent(entry, time.nanos()))) {
                release(entry);
            }
        }

        private void left(boolean served) {
            Time.Timer t = timer;
            if (t != null) {
                t.cancel();
            }
            Reservoir.this.left(waiter, served);
        }
    }

    /**
     * Collects what a reservoir needs. Only the connector is required.
     *
     * @param <T> the connection
     */
    public static final class Builder<T> {
        private final Connector<T> connector;
        private String name = "reservoir";
        private Targets targets = Targets.of(10);
        private Settings settings = Settings.defaults();
        private @Nullable Permits permits;
        private double ratePerSecond = Double.POSITIVE_INFINITY;
        private int burst = 1;
        private @Nullable Leases leases;
        private @Nullable Time time;
        private RandomGenerator random = new SplittableRandom();
        private Executor callbacks = ForkJoinPool.commonPool();
        private boolean stampsReturns;
        private final List<Listener<T>> listeners = new ArrayList<>();

        private Builder(Connector<T> connector) {
            this.connector = connector;
        }

        /** Names it in messages, logs and threads. */
        public Builder<T> name(String value) {
            name = value;
            return this;
        }

        /** How many connections it holds. */
        public Builder<T> targets(Targets value) {
            targets = value;
            return this;
        }

        /** How it behaves. */
        public Builder<T> settings(Settings value) {
            settings = value;
            return this;
        }

        /** Where permits come from. Default: no limit. */
        public Builder<T> permits(Permits value) {
            permits = value;
            return this;
        }

        /** Permits of this reservoir's own: a token bucket. */
        public Builder<T> rate(double perSecond, int burstMost) {
            ratePerSecond = perSecond;
            burst = burstMost;
            return this;
        }

        /** Where leases come from. Default: none are needed. */
        public Builder<T> leases(@Nullable Leases value) {
            leases = value;
            return this;
        }

        /** Another time than the machine's. It is not closed with the reservoir. */
        public Builder<T> time(Time value) {
            time = value;
            return this;
        }

        /** Another source of randomness, for jitter. Used by one thread at a time. */
        public Builder<T> random(RandomGenerator value) {
            random = value;
            return this;
        }

        /** Where futures of {@link Reservoir#acquireAsync} are completed. Default: the common pool. */
        public Builder<T> callbacks(Executor value) {
            callbacks = value;
            return this;
        }

        /** Records the time of every return, at the cost of reading the clock, for {@link Pooled#idleSinceNanos}. */
        public Builder<T> stampsReturns(boolean value) {
            stampsReturns = value;
            return this;
        }

        /** Adds one that hears every event. */
        public Builder<T> listener(Listener<T> value) {
            listeners.add(value);
            return this;
        }

        /** Starts to fill at once, in the background. Does not block. */
        public Reservoir<T> build() {
            return new Reservoir<>(this);
        }

        private Permits permitsOn(Time theTime) {
            if (permits != null) {
                return permits;
            }
            return ratePerSecond == Double.POSITIVE_INFINITY
                    ? LocalPermits.unlimited()
                    : new LocalPermits(ratePerSecond, burst, theTime);
        }
    }
}
