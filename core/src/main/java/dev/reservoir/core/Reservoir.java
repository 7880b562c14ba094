package dev.reservoir.core;

import dev.reservoir.core.internal.Checkout;
import dev.reservoir.core.internal.NoConnectionMessage;
import dev.reservoir.core.internal.calls.Callbacks;
import dev.reservoir.core.internal.calls.EventDispatcher;
import dev.reservoir.core.internal.calls.ListenerGuard;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.Gate;
import dev.reservoir.core.internal.checkout.Holders;
import dev.reservoir.core.internal.checkout.ReadyStore;
import dev.reservoir.core.internal.checkout.WaitQueue;
import dev.reservoir.core.internal.keeper.Keeper;
import dev.reservoir.core.internal.opening.GuardedPermits;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.internal.stats.EngineCounters;
import dev.reservoir.core.internal.stats.Nanos;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.BackgroundThreads;
import dev.reservoir.core.time.SpareThread;
import dev.reservoir.core.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps connections ready and lends them. Never opens or closes one on a borrower's path.
 *
 * <p>Do not block: {@link #tryAcquire}, {@link #acquireAsync}, {@link #release}, {@link #discard}, {@link #suspectAll},
 * {@link #doubt}, {@link #evict}, {@link #flush}, {@link #pause}, {@link #resume}, {@link #setTargets}, {@link #whenReady}, {@link #closeAsync}.
 * Take a lock for a moment: {@link #counts}, {@link #stats}, {@link #checkouts}, {@link #targets}. Block: {@link #acquire}, {@link #awaitReady},
 * {@link #close}.
 *
 * @param <T> the connection
 */
public final class Reservoir<T> implements AutoCloseable {
    /** How long the answer to a validation may take before it is a reason to {@link #doubt} the connection. */
    public static final Duration DOUBT_AFTER = Duration.ofSeconds(1);

    /** Every sixteenth loan of a connection is timed, so that a return mostly reads no clock. */
    private static final long USE_SAMPLE = 15;

    /** Far more than a healthy listener ever has before it, and few enough to be no burden. */
    private static final int EVENTS_WAITING_MAX = 10_000;

    /** An application that blocks one thread in what it attached to a future does not stop the other futures. */
    private static final int CALLBACK_THREADS = 4;

    /** Every 64th checkout of a connection that was ready is timed. */
    private static final long READY_SAMPLE = 63;

    private final String name;
    private final CurrentSettings settings;
    private final Time time;
    private final @Nullable SystemTime ownTime;
    private final Gate gate = new Gate();
    private final ReadyStore<T> store;
    private final WaitQueue<T> waiters;
    private final Keeper<T> keeper;
    private final ListenerGuard<T> hearing;
    private final boolean hearsCheckouts;
    private final boolean tracksCheckouts;
    private final @Nullable BackgroundThreads eventThread;
    private final @Nullable BackgroundThreads callbackThreads;
    private final @Nullable SpareThread spareThread;
    private final Callbacks callbacks;
    private final EngineCounters counters = new EngineCounters();
    private final Checkout<T> turns;

    Reservoir(ReservoirBuilder<T> builder) {
        name = builder.name;
        Settings initial = builder.settings;
        settings = new CurrentSettings(initial);
        Time given = builder.time;
        // With both of the caller's own, nothing runs on a thread that the reservoir could fall back from.
        spareThread = builder.callbacks == null || given == null ? new SpareThread() : null;
        ownTime = given == null ? startedTime(builder) : null;
        time = given == null ? Objects.requireNonNull(ownTime) : given;
        try {
            Executor givenEvents = builder.events;
            eventThread = givenEvents == null && given == null
                    ? new BackgroundThreads("reservoir-" + name, 1, EVENTS_WAITING_MAX, builder.threadFactory)
                    : null;
            Executor givenCallbacks = builder.callbacks;
            callbackThreads = givenCallbacks == null
                    ? new BackgroundThreads(
                            "reservoir-" + name + "-callback",
                            CALLBACK_THREADS,
                            Integer.MAX_VALUE,
                            builder.threadFactory)
                    : null;
            EventDispatcher events = new EventDispatcher(
                    givenEvents != null ? givenEvents : eventThread != null ? eventThread : Runnable::run);
            hearing = new ListenerGuard<>(builder.listeners, events);
            hearsCheckouts = hearing.hearsCheckouts();
            tracksCheckouts = initial.tracksCheckouts();
            Permits permits = new GuardedPermits(builder.permitsOn(time));
            callbacks = new Callbacks(
                    givenCallbacks != null ? givenCallbacks : Objects.requireNonNull(callbackThreads),
                    spareThread != null ? spareThread : time::execute,
                    time);
            store = new ReadyStore<>(
                    builder.targets.maxOpen() + initial.successorAllowanceFor(builder.targets.maxOpen()),
                    initial.lanes());
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
                    counters,
                    events,
                    this::misconfigured);
            waiters = keeper.waiters();
            turns = new Checkout<>(
                    name,
                    settings,
                    time,
                    gate,
                    keeper,
                    hearing,
                    counters,
                    new NoConnectionMessage(name, initial, permits, builder.leases),
                    callbacks,
                    this::restore);
            keeper.start();
        } catch (RuntimeException | Error e) {
            closeThreads();
            throw e;
        }
    }

    /** If the system gives no thread for the event loop, none is left behind. */
    private SystemTime startedTime(ReservoirBuilder<T> builder) {
        try {
            return new SystemTime("reservoir-" + name + "-loop", builder.threadFactory);
        } catch (RuntimeException | Error e) {
            if (spareThread != null) {
                spareThread.close();
            }
            throw e;
        }
    }

    /** A reservoir that cannot be made leaves no thread behind. Those of events and callbacks start with their first task. */
    private void closeThreads() {
        if (ownTime != null) {
            ownTime.close();
        }
        if (spareThread != null) {
            spareThread.close();
        }
    }

    private void misconfigured() {
        turns.misconfigured();
    }

    /** A reservoir of what this connector opens. */
    public static <T> ReservoirBuilder<T> builder(Connector<T> connector) {
        return new ReservoirBuilder<>(connector);
    }

    // Checkout.

    /**
     * Takes a ready connection, or answers null at once. Never blocks. May answer null while the oldest waiter has a right to
     * what is ready.
     */
    public @Nullable Pooled<T> tryAcquire() {
        long now = time.nanos();
        if (now < gate.shutFromNanos) {
            Entry<T> entry = waiters.claimUsable(now);
            if (entry != null) {
                return ready(entry, now);
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
            Entry<T> entry = waiters.claimUsable(now);
            if (entry != null) {
                return ready(entry, now);
            }
        }
        Entry<T> entry = turns.await(now, timeoutNanos);
        return acquired(entry, entry.acquiredNanos);
    }

    /** As {@link #acquire(long)}. */
    public Pooled<T> acquire(Duration timeout) throws InterruptedException {
        return acquire(TimeUnit.NANOSECONDS.convert(timeout));
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
        long asker = Thread.currentThread().getId();
        Throwable stack = tracksCheckouts ? new Throwable("asked for here") : null;
        return turns.begin(
                timeoutNanos,
                entry -> {
                    Pooled<T> acquired = acquired(entry, entry.acquiredNanos);
                    entry.holderId = asker;
                    entry.stack = stack;
                    return acquired;
                },
                this::release);
    }

    /** A connection was ready for a checkout that began at this time. */
    private Pooled<T> ready(Entry<T> entry, long now) {
        Pooled<T> acquired = acquired(entry, now);
        if ((entry.uses & READY_SAMPLE) == 1) {
            recordReadyTime(acquired, now);
        }
        return acquired;
    }

    /** If an error comes here, the caller never sees the connection, so it is given back. */
    private void recordReadyTime(Pooled<T> acquired, long sinceNanos) {
        try {
            counters.readyTime.record(time.nanos() - sinceNanos);
        } catch (RuntimeException | Error e) {
            release(acquired);
            throw e;
        }
    }

    /** Hands the entry to the caller. If an error comes between, it goes back to where it was. */
    private Pooled<T> acquired(Entry<T> entry, long now) {
        entry.acquiredNanos = now;
        entry.uses++;
        entry.inUse = true;
        try {
            entry.holderId = Thread.currentThread().getId();
            if (tracksCheckouts) {
                entry.stack = new Throwable("taken here");
            }
            if (hearsCheckouts) {
                hearing.tellOfCheckout(l -> l.acquired(entry));
            }
            return entry;
        } catch (RuntimeException | Error e) {
            entry.inUse = false;
            restore(entry);
            throw e;
        }
    }

    // Return.

    /** Gives a connection back that works. Never blocks; closing it, if its time has come, happens elsewhere. */
    public void release(Pooled<T> pooled) {
        Entry<T> entry = (Entry<T>) pooled;
        ended(entry);
        restore(entry);
    }

    /**
     * As {@link #release(Pooled)}, and records the time of the release if the caller used the connection, at the cost of reading
     * the clock. See {@link Pooled#idleSinceNanos}.
     */
    public void release(Pooled<T> pooled, boolean used) {
        if (used) {
            noteWorks(pooled);
        }
        release(pooled);
    }

    /** The caller that has this connection has seen just now that it works. Never blocks. See {@link Pooled#idleSinceNanos}. */
    public void noteWorks(Pooled<T> pooled) {
        ((Entry<T>) pooled).returnedNanos = time.nanos();
    }

    /** Gives a connection back that is not to be lent again. Never blocks. */
    public void discard(Pooled<T> pooled, DiscardReason reason) {
        Entry<T> entry = (Entry<T>) pooled;
        ended(entry);
        keeper.discard(entry, reason);
    }

    private void ended(Entry<T> entry) {
        if (!entry.inUse) {
            throw new IllegalStateException("bug: " + entry + " is given back and is not in use");
        }
        entry.inUse = false;
        if (tracksCheckouts) {
            entry.stack = null;
        }
        if ((entry.uses & USE_SAMPLE) == 1) {
            counters.useTime.record(time.nanos() - entry.acquiredNanos);
        }
        if (hearsCheckouts) {
            hearing.tellOfCheckout(l -> l.returned(entry));
        }
    }

    private void restore(Entry<T> entry) {
        if (entry.mark != null || gate.recalling) {
            keeper.takeBack(entry);
        } else {
            waiters.offer(entry);
        }
    }

    // Management.

    /** A sign of trouble was seen: every connection last proven before now is proven again before it is lent. */
    public void suspectAll() {
        keeper.suspectAll();
    }

    /**
     * One connection was found broken. All others are validated before they are handed out again. If that showed within the last
     * minute that the others are fine, only one of them is validated at once; if that fails, or does not answer soon, all are.
     */
    public void suspectOthers() {
        keeper.suspectOthers();
    }

    /**
     * The caller validates this connection, asked it at least {@link #DOUBT_AFTER} ago, and hears nothing. All others are validated
     * before they are handed out, and one connection is opened beside them if there is room. If the server answers any of these, the
     * one in doubt is lost: it is closed under the caller, and the future completes. The caller then gives it to {@link #discard}.
     * Otherwise the future never completes, and the caller waits as long as it would have. Does not block.
     *
     * @param askedNanos when the validation began, on the reservoir's clock
     */
    public CompletableFuture<Void> doubt(Pooled<T> pooled, long askedNanos) {
        return keeper.doubt((Entry<T>) pooled, askedNanos, callbacks);
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

    /**
     * Completes when so many connections are ready or lent, exceptionally with {@link NoConnectionException} if the reservoir
     * is closed before. Cancel it to stop watching.
     */
    public CompletableFuture<Void> whenReady(int count) {
        return keeper.whenUsable(count, callbacks);
    }

    /**
     * Blocks until so many connections are ready or lent; false if that takes longer than the time-out.
     *
     * @throws NoConnectionException if the reservoir is closed before
     */
    public boolean awaitReady(int count, Duration timeout) throws InterruptedException {
        return await(keeper.whenUsable(count, null), TimeUnit.NANOSECONDS.convert(timeout));
    }

    /** How many connections are in which state at this instant. */
    public Counts counts() {
        return keeper.inspect(view -> {
            int ready = view.ready();
            int validating = view.validating();
            return new Counts(
                    view.targets(),
                    ready,
                    view.size() - ready - validating,
                    validating,
                    view.overflow(),
                    view.opening(),
                    view.openingOverflow(),
                    view.waitingForLease(),
                    view.waitingForPermit(),
                    view.closing(),
                    view.openStill(),
                    waiters.waiting(),
                    view.paused());
        });
    }

    /** The numbers at one instant, with their histories. */
    public Stats stats() {
        return keeper.inspect(view -> {
            EngineCounters c = view.counters();
            long checkouts = view.checkouts();
            int ready = view.ready();
            Durations waits = c.waitTime.snapshot();
            return new Stats(
                    view.targets(),
                    ready,
                    view.size() - ready - view.validating(),
                    view.validating(),
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
                    c.waitTime.snapshot(c.readyTime, Math.max(0, checkouts - c.servedWaits.sum())),
                    waits,
                    c.useTime.snapshot(),
                    view.openTime());
        });
    }

    /** Who has held a connection for at least so long, the longest first. With stacks if loans are tracked. */
    public List<InUseReport> checkouts(Duration atLeast) {
        return keeper.inspect(view -> Holders.of(view.everyone(), time.nanos(), atLeast.toNanos()));
    }

    /** The name given at the start. */
    public String name() {
        return name;
    }

    /** The settings in force. */
    public Settings settings() {
        return settings.get();
    }

    /**
     * Replaces the settings; does not block. Lifetimes, jitter and guard window hold for connections opened from now on, timeouts
     * for what begins from now on.
     *
     * @throws IllegalArgumentException if {@code waitersMax}, {@code overtakingWindow}, the back-off, {@code startDelayMax}, {@code
     *     tracksLoans} or {@code lanes} differ: those are fixed when the reservoir is built
     */
    public void setSettings(Settings replacement) {
        Settings present = settings.get();
        requireSame("waitersMax", present.waitersMax(), replacement.waitersMax());
        requireSame("overtakingWindow", present.overtakingWindowNanos(), replacement.overtakingWindowNanos());
        requireSame("backoff base", present.backoffBaseNanos(), replacement.backoffBaseNanos());
        requireSame("backoff most", present.backoffMaxNanos(), replacement.backoffMaxNanos());
        requireSame("startDelayMax", present.startDelayMaxNanos(), replacement.startDelayMaxNanos());
        requireSame("tracksCheckouts", present.tracksCheckouts(), replacement.tracksCheckouts());
        requireSame("lanes", present.lanes(), replacement.lanes());
        settings.set(replacement);
        keeper.settingsChanged();
    }

    private static void requireSame(String key, Object present, Object replacement) {
        if (!present.equals(replacement)) {
            throw new IllegalArgumentException(key + " is " + replacement + "; allowed: " + present
                    + ", since it cannot be changed while the reservoir runs");
        }
    }

    /** The reservoir's clock, which {@link Pooled} speaks of. */
    public long nanos() {
        return time.nanos();
    }

    /** Whether it was closed, or is being closed. */
    public boolean isClosed() {
        return turns.isClosed();
    }

    /**
     * Lends nothing more, waits for loans to come back until the time-out, then closes the rest under their borrowers. The
     * future completes when no connection, thread, timer or lease is left (promise 9).
     */
    public CompletableFuture<Void> closeAsync(Duration drain) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        CompletionStage<Void> ended = keeper.close(TimeUnit.NANOSECONDS.convert(drain), turns.close());
        ended.thenRun(() -> {
            callbacks.run(() -> told.complete(null));
            endThreads();
        });
        return told;
    }

    /** What waits for the threads still runs: they end when it has. */
    private void endThreads() {
        callbacks.end();
        if (callbackThreads != null) {
            callbackThreads.close();
        }
        if (spareThread != null) {
            spareThread.close();
        }
        if (eventThread != null) {
            eventThread.close();
        }
        if (ownTime != null) {
            ownTime.close();
        }
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
            // Not by a future of closeAsync: an application may block the threads that complete those.
            CompletableFuture<Void> ended = keeper.close(TimeUnit.NANOSECONDS.convert(drain), turns.close());
            // A copy: giving up the wait for it must not keep the threads from ending.
            await(
                    ended.thenRun(this::endThreads).copy(),
                    Nanos.sum(TimeUnit.NANOSECONDS.convert(drain), TimeUnit.MINUTES.toNanos(1)));
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

    private static boolean await(CompletableFuture<Void> done, long timeoutNanos) throws InterruptedException {
        try {
            done.get(timeoutNanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            done.cancel(false);
            return false;
        } catch (InterruptedException e) {
            done.cancel(false);
            throw e;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof NoConnectionException closed) {
                throw closed;
            }
            throw new IllegalStateException("bug: waiting for a condition failed", e);
        }
    }
}
