package dev.reservoir.core;

import dev.reservoir.core.internal.Checkout;
import dev.reservoir.core.internal.NoConnectionMessage;
import dev.reservoir.core.internal.calls.Callbacks;
import dev.reservoir.core.internal.calls.EventDispatcher;
import dev.reservoir.core.internal.calls.ListenerGuard;
import dev.reservoir.core.internal.calls.SpareThread;
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
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.core.util.BackgroundThreads;
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
 * Keeps connections ready and hands them out. Never opens or closes a connection on the path of a caller.
 *
 * <p>These methods do not block: {@link #tryAcquire}, {@link #acquireAsync}, {@link #release}, {@link #noteWorks},
 * {@link #discard}, {@link #suspectAll}, {@link #suspectOthers}, {@link #doubt}, {@link #evict}, {@link #flush},
 * {@link #pause}, {@link #resume}, {@link #setTargets}, {@link #setSettings}, {@link #whenReady}, {@link #closeAsync}.
 * These take a lock for a moment: {@link #counts}, {@link #stats}, {@link #checkouts}, {@link #targets}. These block:
 * {@link #acquire}, {@link #awaitReady}, {@link #close}.
 *
 * @param <T> the connection
 */
public final class Reservoir<T> implements AutoCloseable {
    /** How long the answer to a validation may take before the caller may {@link #doubt} the connection. */
    public static final Duration DOUBT_AFTER = Duration.ofSeconds(1);

    /** Mask that selects every sixteenth use of a connection for timing. The other releases read no clock. */
    private static final long USE_SAMPLE = 15;

    /**
     * Bounds the events that wait for the listeners. A healthy listener never has nearly as many before it, and they
     * take little memory.
     */
    private static final int EVENTS_WAITING_MAX = 10_000;

    /**
     * Number of threads that complete futures. If an application blocks one of them in an action attached to a future,
     * the others still complete their futures.
     */
    private static final int CALLBACK_THREADS = 4;

    /** Mask that selects every 64th use of a connection for timing, among checkouts that found a connection ready. */
    private static final long READY_SAMPLE = 63;

    private final String name;
    private final CurrentSettings settings;
    private final Time time;
    private final @Nullable SystemTime ownTime;
    private final Gate gate = new Gate();
    private final ReadyStore<T> store;
    private final WaitQueue<T> waiters;
    private final Keeper<T> keeper;
    private final ListenerGuard<T> listeners;
    private final boolean wantsCheckouts;
    private final boolean tracksCheckouts;
    private final @Nullable BackgroundThreads eventThread;
    private final @Nullable BackgroundThreads callbackThreads;
    private final @Nullable SpareThread spareThread;
    private final Callbacks callbacks;
    private final EngineCounters counters = new EngineCounters();
    private final Checkout<T> checkout;

    Reservoir(ReservoirBuilder<T> builder) {
        name = builder.name;
        Settings initial = builder.settings;
        settings = new CurrentSettings(initial);
        Time given = builder.time;
        // If the caller supplies both the callbacks and the time, the reservoir has no thread of its own that could
        // fail.
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
            listeners = new ListenerGuard<>(builder.listeners, events);
            wantsCheckouts = listeners.wantsCheckouts();
            tracksCheckouts = initial.tracksCheckouts();
            Permits permits = new GuardedPermits(builder.permitsOn(time), events);
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
                    listeners,
                    counters,
                    events,
                    this::misconfigured);
            waiters = keeper.waiters();
            checkout = new Checkout<>(
                    name,
                    settings,
                    time,
                    gate,
                    keeper,
                    listeners,
                    counters,
                    new NoConnectionMessage(name, settings, permits, builder.leases),
                    callbacks,
                    this::restore);
            keeper.start();
        } catch (RuntimeException | Error e) {
            closeThreads();
            throw e;
        }
    }

    /** If the system provides no thread for the event loop, this leaves no other thread behind. */
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

    /**
     * Ends the threads of a reservoir that could not be built. The threads for events and callbacks start only with
     * their first task.
     */
    private void closeThreads() {
        if (ownTime != null) {
            ownTime.close();
        }
        if (spareThread != null) {
            spareThread.close();
        }
    }

    private void misconfigured() {
        checkout.misconfigured();
    }

    /** Begins to build a reservoir of the connections that this connector opens. Does not block. */
    public static <T> ReservoirBuilder<T> builder(Connector<T> connector) {
        return new ReservoirBuilder<>(connector);
    }

    // Acquire.

    /**
     * Acquires a ready connection, or returns null at once. Never blocks. May return null although a connection is
     * ready, while the oldest waiter has a right to it.
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
     * Acquires a connection. If one is ready, returns it at once, without a lock and without I/O (promise 3). Otherwise
     * the setting for exhaustion decides: blocks up to the timeout, in order of arrival, or fails at once.
     *
     * @throws NoConnectionException if no connection could be acquired; its message says why
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
        Entry<T> entry = checkout.await(now, timeoutNanos);
        return acquired(entry, entry.acquiredNanos);
    }

    /** Does the same as {@link #acquire(long)}, and may block as long. */
    public Pooled<T> acquire(Duration timeout) throws InterruptedException {
        return acquire(TimeUnit.NANOSECONDS.convert(timeout));
    }

    /**
     * Acquires a connection without blocking. The future completes with a connection, in order of arrival, or
     * exceptionally with {@link NoConnectionException} by the timeout. To cancel the future is to leave the wait queue;
     * no connection is lost by that.
     */
    public CompletableFuture<Pooled<T>> acquireAsync(long timeoutNanos) {
        Pooled<T> ready = tryAcquire();
        if (ready != null) {
            return CompletableFuture.completedFuture(ready);
        }
        long asker = Thread.currentThread().getId();
        Throwable stack = tracksCheckouts ? new Throwable("acquireAsync was called here") : null;
        return checkout.begin(
                timeoutNanos,
                entry -> {
                    Pooled<T> acquired = acquired(entry, entry.acquiredNanos);
                    entry.holderId = asker;
                    entry.stack = stack;
                    return acquired;
                },
                this::release);
    }

    /** Completes a checkout that began at this time and found a ready connection. */
    private Pooled<T> ready(Entry<T> entry, long now) {
        Pooled<T> acquired = acquired(entry, now);
        if ((entry.uses & READY_SAMPLE) == 1) {
            recordReadyTime(acquired, now);
        }
        return acquired;
    }

    /** If an error occurs here, the caller never gets the connection, so this method releases it. */
    private void recordReadyTime(Pooled<T> acquired, long sinceNanos) {
        try {
            counters.readyTime.record(time.nanos() - sinceNanos);
        } catch (RuntimeException | Error e) {
            release(acquired);
            throw e;
        }
    }

    /** Marks the entry as in use by the caller. If an error occurs, the entry goes back to the pool. */
    private Pooled<T> acquired(Entry<T> entry, long now) {
        entry.acquiredNanos = now;
        entry.uses++;
        entry.inUse = true;
        try {
            entry.holderId = Thread.currentThread().getId();
            if (tracksCheckouts) {
                entry.stack = new Throwable("acquired here");
            }
            if (wantsCheckouts) {
                listeners.tellOfCheckout(l -> l.acquired(entry));
            }
            return entry;
        } catch (RuntimeException | Error e) {
            entry.inUse = false;
            restore(entry);
            throw e;
        }
    }

    // Release.

    /** Releases a connection that works. Never blocks. If the connection has to be closed, another thread closes it. */
    public void release(Pooled<T> pooled) {
        Entry<T> entry = (Entry<T>) pooled;
        ended(entry);
        restore(entry);
    }

    /**
     * Releases like {@link #release(Pooled)}. If the caller used the connection, also records the time, at the cost of
     * reading the clock. Never blocks. See {@link Pooled#idleSinceNanos}.
     */
    public void release(Pooled<T> pooled, boolean used) {
        if (used) {
            noteWorks(pooled);
        }
        release(pooled);
    }

    /**
     * Records that the caller who holds this connection has just seen that it works. Never blocks. See
     * {@link Pooled#idleSinceNanos}.
     */
    public void noteWorks(Pooled<T> pooled) {
        ((Entry<T>) pooled).returnedNanos = time.nanos();
    }

    /** Takes back a connection that must not be handed out again. Never blocks. */
    public void discard(Pooled<T> pooled, DiscardReason reason) {
        Entry<T> entry = (Entry<T>) pooled;
        ended(entry);
        keeper.discard(entry, reason);
    }

    private void ended(Entry<T> entry) {
        if (!entry.inUse) {
            throw new IllegalStateException("bug: " + entry + " is released but is not in use");
        }
        entry.inUse = false;
        if (tracksCheckouts) {
            entry.stack = null;
        }
        if ((entry.uses & USE_SAMPLE) == 1) {
            counters.useTime.record(time.nanos() - entry.acquiredNanos);
        }
        if (wantsCheckouts) {
            listeners.tellOfCheckout(l -> l.released(entry));
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

    /**
     * Reports a sign of trouble. Every connection that was last validated before now is validated again before it is
     * handed out. Does not block.
     */
    public void suspectAll() {
        keeper.suspectAll();
    }

    /**
     * Reports that one connection was found broken. All others are validated before they are handed out again. If such
     * validations showed within the last minute that the others work, only one of them is validated at once. If that
     * one fails, or does not answer soon, all are. Does not block.
     */
    public void suspectOthers() {
        keeper.suspectOthers();
    }

    /**
     * Reports a validation without an answer. The caller began to validate this connection at least
     * {@link #DOUBT_AFTER} ago. The reservoir then validates all other connections before it hands them out, and opens
     * one more connection if there is room. If the server answers any of these, the connection in doubt is lost: the
     * reservoir closes it under the caller and completes the future. The caller then passes it to {@link #discard}.
     * Otherwise the future never completes, and the caller waits as long as it would have anyway. Does not block.
     *
     * @param askedNanos when the validation began, on the reservoir's clock
     */
    public CompletableFuture<Void> doubt(Pooled<T> pooled, long askedNanos) {
        return keeper.doubt((Entry<T>) pooled, askedNanos, callbacks);
    }

    /** Retires this connection: now if it is ready, on release if it is in use. Does not block. */
    public void evict(Pooled<T> pooled) {
        keeper.evict((Entry<T>) pooled);
    }

    /**
     * Retires every connection that is open now: ready ones at once, those in use on release. Meant for fail-over. Does
     * not block.
     */
    public void flush() {
        keeper.flush();
    }

    /**
     * Stops handing out and opening connections. Checkouts wait until {@link #resume} or their deadline. Connections in
     * use stay in use. Does not block.
     */
    public void pause() {
        keeper.setPaused(true);
    }

    /** Ends a {@link #pause}. Does not block. */
    public void resume() {
        keeper.setPaused(false);
    }

    /** Changes how many connections the reservoir holds. The change takes effect soon. Does not block. */
    public void setTargets(Targets targets) {
        keeper.setTargets(targets);
    }

    /** How many connections the reservoir is asked to hold. Takes a lock for a moment. */
    public Targets targets() {
        return keeper.targets();
    }

    /**
     * Completes when this many connections are ready or in use. Completes exceptionally with
     * {@link NoConnectionException} if the reservoir closes first. Cancel the future to stop waiting. Does not block.
     */
    public CompletableFuture<Void> whenReady(int count) {
        return keeper.whenUsable(count, callbacks);
    }

    /**
     * Blocks until this many connections are ready or in use. Returns false if that takes longer than the timeout.
     *
     * @throws NoConnectionException if the reservoir closes first
     */
    public boolean awaitReady(int count, Duration timeout) throws InterruptedException {
        return await(keeper.whenUsable(count, null), TimeUnit.NANOSECONDS.convert(timeout));
    }

    /** The number of connections in each state at this instant. Takes a lock for a moment. */
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

    /** The numbers at one instant, with their histories. Takes a lock for a moment. */
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

    /**
     * The connections that have been in use for at least this long, the longest first. The reports have stacks if
     * checkouts are tracked. Takes a lock for a moment.
     */
    public List<InUseReport> checkouts(Duration atLeast) {
        return keeper.inspect(view -> Holders.of(view.everyone(), time.nanos(), atLeast.toNanos()));
    }

    /** The name given to the builder. */
    public String name() {
        return name;
    }

    /** The settings in force. */
    public Settings settings() {
        return settings.get();
    }

    /**
     * Replaces the settings. Does not block. Lifetime, jitter and guard window apply to connections opened from now on.
     * Timeouts apply to operations that begin from now on.
     *
     * @throws IllegalArgumentException if {@code waitersMax}, {@code overtakingWindow}, the back-off,
     *     {@code startDelayMax}, {@code tracksCheckouts} or {@code lanes} differ: these are fixed when the reservoir is
     *     built
     */
    public void setSettings(Settings replacement) {
        Settings present = settings.get();
        requireSame("waitersMax", present.waitersMax(), replacement.waitersMax());
        requireSame("overtakingWindow", present.overtakingWindowNanos(), replacement.overtakingWindowNanos());
        requireSame("backoffBase", present.backoffBaseNanos(), replacement.backoffBaseNanos());
        requireSame("backoffMax", present.backoffMaxNanos(), replacement.backoffMaxNanos());
        requireSame("startDelayMax", present.startDelayMaxNanos(), replacement.startDelayMaxNanos());
        requireSame("tracksCheckouts", present.tracksCheckouts(), replacement.tracksCheckouts());
        requireSame("lanes", present.lanes(), replacement.lanes());
        settings.set(replacement);
        keeper.settingsChanged();
    }

    private static void requireSame(String key, Object present, Object replacement) {
        if (!present.equals(replacement)) {
            throw new IllegalArgumentException(key + " is " + replacement + "; allowed: " + present
                    + ", because it cannot be changed while the reservoir runs");
        }
    }

    /** The present on the reservoir's clock. The times of {@link Pooled} are on this clock. */
    public long nanos() {
        return time.nanos();
    }

    /** Whether the reservoir is closed or closing. */
    public boolean isClosed() {
        return checkout.isClosed();
    }

    /**
     * Hands out nothing more, waits until the timeout for connections in use to be released, then closes the rest under
     * their callers. The future completes when no connection, thread, timer or lease is left (promise 9). Does not
     * block.
     */
    public CompletableFuture<Void> closeAsync(Duration drain) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        CompletionStage<Void> ended = keeper.close(TimeUnit.NANOSECONDS.convert(drain), checkout.close());
        ended.thenRun(() -> {
            callbacks.run(() -> told.complete(null));
            endThreads();
        });
        return told;
    }

    /** Tasks that are already queued still run. The threads end after them. */
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

    /**
     * Does the same as {@link #closeAsync} without time to release connections in use. Blocks until nothing is left, at
     * most one minute.
     */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /**
     * Does the same as {@link #closeAsync}, and blocks until nothing is left, at most until one minute after the
     * timeout.
     */
    public void close(Duration drain) {
        boolean interrupted = false;
        try {
            // This does not wait for a future of closeAsync: an application may block the threads that complete those.
            CompletableFuture<Void> ended = keeper.close(TimeUnit.NANOSECONDS.convert(drain), checkout.close());
            // The wait uses a copy, because cancelling the original would keep the threads from ending.
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
