package dev.reservoir.core.internal;

import dev.reservoir.core.Counts;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.InUseReport;
import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Stats;
import dev.reservoir.core.Targets;
import dev.reservoir.core.internal.calls.EngineSpi;
import dev.reservoir.core.internal.calls.ListenerGuard;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.Gate;
import dev.reservoir.core.internal.checkout.Holders;
import dev.reservoir.core.internal.checkout.WaitQueue;
import dev.reservoir.core.internal.keeper.Keeper;
import dev.reservoir.core.internal.keeper.Returns;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.internal.stats.EngineCounters;
import dev.reservoir.core.internal.stats.Nanos;
import dev.reservoir.core.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The engine of a {@link Reservoir}. Its acquire and release are the callers' half: they take a ready connection and
 * put it back, without a lock. {@link Checkout} waits on behalf of callers, and {@link Keeper} decides everything else.
 * The engine extends the API, so a checkout passes through no other object first.
 *
 * @param <T> the connection
 */
public final class Engine<T> extends Reservoir<T> {
    /** Mask that selects every sixteenth use of a connection for timing. The other releases read no clock. */
    private static final long USE_SAMPLE = 15;

    /** Mask that selects every 64th use of a connection for timing, among checkouts that found a connection ready. */
    private static final long READY_SAMPLE = 63;

    private final String name;
    private final CurrentSettings settings;
    private final Time time;
    private final Gate gate = new Gate();
    private final WaitQueue<T> waiters;
    private final Keeper<T> keeper;
    private final Returns<T> returns;
    private final ListenerGuard<T> listeners;
    private final boolean wantsCheckouts;
    private final boolean tracksCheckouts;
    private final EngineThreads threads;
    private final EngineCounters counters = new EngineCounters();
    private final Checkout<T> checkout;

    /**
     * Begins to fill at once, in the background.
     *
     * @param threads end with this engine
     */
    public Engine(String name, Targets targets, Settings initial, EngineSpi<T> spi, EngineThreads threads) {
        this.name = name;
        this.settings = new CurrentSettings(initial);
        this.time = spi.time();
        this.listeners = spi.listeners();
        this.wantsCheckouts = listeners.wantsCheckouts();
        this.tracksCheckouts = initial.tracksCheckouts();
        this.threads = threads;
        keeper = new Keeper<>(targets, settings, spi, gate, counters);
        waiters = keeper.waiters();
        returns = keeper.returns();
        NoConnectionMessage<T> explanation = new NoConnectionMessage<>(name, settings, spi, keeper.reports());
        checkout = new Checkout<>(spi, settings, keeper, counters, explanation, threads.callbacks(), this::restore);
        keeper.start(checkout::misconfigured);
    }

    // Acquire.

    @Override
    public @Nullable Pooled<T> tryAcquire() {
        long now = time.nanos();
        if (now < gate.shutFromNanos()) {
            Entry<T> entry = waiters.claimUsable(now);
            if (entry != null) {
                return ready(entry, now);
            }
        }
        return null;
    }

    @Override
    public Pooled<T> acquire(long timeoutNanos) throws InterruptedException {
        long now = time.nanos();
        if (now < gate.shutFromNanos()) {
            Entry<T> entry = waiters.claimUsable(now);
            if (entry != null) {
                return ready(entry, now);
            }
        }
        Entry<T> entry = checkout.await(now, timeoutNanos);
        return acquired(entry, entry.acquiredNanos());
    }

    @Override
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
                    Pooled<T> acquired = acquired(entry, entry.acquiredNanos());
                    entry.setHolderId(asker);
                    entry.setStack(stack);
                    return acquired;
                },
                this::release);
    }

    /** Completes a checkout that began at this time and found a ready connection. */
    private Pooled<T> ready(Entry<T> entry, long now) {
        Pooled<T> acquired = acquired(entry, now);
        long uses = entry.uses();
        // The second use as well: the first one of a connection that was opened for a waiter did not find it ready.
        if ((uses & READY_SAMPLE) == 1 || uses == 2) {
            recordReadyTime(acquired, now);
        }
        return acquired;
    }

    /** If an error occurs here, the caller never gets the connection, so this method releases it. */
    private void recordReadyTime(Pooled<T> acquired, long sinceNanos) {
        try {
            long tookNanos = time.nanos() - sinceNanos;
            counters.addReadyTime(tookNanos);
            // The first two uses stand for themselves, and each later sample for the uses since the one before it.
            long uses = acquired.uses();
            int checkouts = (int) (uses <= 2 ? 1 : Math.min(uses - 2, READY_SAMPLE + 1));
            listeners.foundReady(tookNanos, checkouts);
        } catch (RuntimeException | Error e) {
            release(acquired);
            throw e;
        }
    }

    /** Marks the entry as in use by the caller. If an error occurs, the entry goes back to the pool. */
    private Pooled<T> acquired(Entry<T> entry, long now) {
        entry.beginUse(now);
        try {
            entry.setHolderId(Thread.currentThread().getId());
            if (tracksCheckouts) {
                entry.setStack(new Throwable("acquired here"));
            }
            if (wantsCheckouts) {
                listeners.tellOfCheckout(l -> l.acquired(entry));
            }
            return entry;
        } catch (RuntimeException | Error e) {
            entry.endUse();
            restore(entry);
            throw e;
        }
    }

    // Release.

    @Override
    public void release(Pooled<T> pooled) {
        Entry<T> entry = (Entry<T>) pooled;
        ended(entry);
        restore(entry);
    }

    @Override
    public void noteWorks(Pooled<T> pooled) {
        ((Entry<T>) pooled).noteWorks(time.nanos());
    }

    @Override
    public void discard(Pooled<T> pooled, DiscardReason reason) {
        Entry<T> entry = (Entry<T>) pooled;
        ended(entry);
        returns.discard(entry, reason);
    }

    private void ended(Entry<T> entry) {
        if (!entry.isInUse()) {
            throw new IllegalStateException("bug: " + entry + " is released but is not in use");
        }
        entry.endUse();
        if (tracksCheckouts) {
            entry.setStack(null);
        }
        if ((entry.uses() & USE_SAMPLE) == 1) {
            counters.addUseTime(time.nanos() - entry.acquiredNanos());
        }
        if (wantsCheckouts) {
            listeners.tellOfCheckout(l -> l.released(entry));
        }
    }

    private void restore(Entry<T> entry) {
        if (entry.mark() != null || gate.isRecalling()) {
            returns.takeBack(entry);
        } else {
            waiters.offer(entry);
        }
    }

    // Management.

    @Override
    public void suspectAll() {
        keeper.suspectAll();
    }

    @Override
    public void suspectOthers() {
        keeper.suspectOthers();
    }

    @Override
    public CompletableFuture<Void> doubt(Pooled<T> pooled, long askedNanos) {
        return keeper.doubt((Entry<T>) pooled, askedNanos, threads.callbacks());
    }

    @Override
    public void evict(Pooled<T> pooled) {
        keeper.evict((Entry<T>) pooled);
    }

    @Override
    public void flush() {
        keeper.flush();
    }

    @Override
    public void pause() {
        keeper.setPaused(true);
    }

    @Override
    public void resume() {
        keeper.setPaused(false);
    }

    @Override
    public void setTargets(Targets targets) {
        keeper.setTargets(targets);
    }

    @Override
    public Targets targets() {
        return keeper.reports().targets();
    }

    @Override
    public CompletableFuture<Void> whenReady(int count) {
        return keeper.whenUsable(count, threads.callbacks());
    }

    @Override
    public boolean awaitReady(int count, Duration timeout) throws InterruptedException {
        return await(keeper.whenUsable(count, null), TimeUnit.NANOSECONDS.convert(timeout));
    }

    @Override
    public Counts counts() {
        return keeper.reports().counts();
    }

    @Override
    public Stats stats() {
        return keeper.reports().stats();
    }

    @Override
    public List<InUseReport> checkouts(Duration atLeast) {
        return Holders.of(keeper.reports().everyone(), time.nanos(), atLeast.toNanos());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Settings settings() {
        return settings.get();
    }

    @Override
    public void setSettings(Settings replacement) {
        settings.replace(replacement);
        keeper.settingsChanged();
    }

    @Override
    public long nanos() {
        return time.nanos();
    }

    // Close.

    @Override
    public boolean isClosed() {
        return checkout.isClosed();
    }

    @Override
    public CompletableFuture<Void> closeAsync(Duration drain) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        CompletionStage<Void> ended = beginClose(drain);
        ended.thenRun(() -> {
            threads.callbacks().run(() -> told.complete(null));
            threads.end();
        });
        return told;
    }

    @Override
    public void close(Duration drain) {
        // This does not wait for a future of closeAsync: an application may block the threads that complete those.
        CompletableFuture<Void> ended = beginClose(drain).thenRun(threads::end);
        try {
            // The wait uses a copy, because cancelling the original would keep the threads from ending.
            await(ended.copy(), Nanos.sum(TimeUnit.NANOSECONDS.convert(drain), TimeUnit.MINUTES.toNanos(1)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private CompletableFuture<Void> beginClose(Duration drain) {
        return keeper.close(TimeUnit.NANOSECONDS.convert(drain), checkout.close());
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
