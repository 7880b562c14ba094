package dev.reservoir.core.internal.checkout;

import dev.reservoir.core.internal.stats.Nanos;
import dev.reservoir.core.spi.Time;
import java.util.Comparator;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds the checkouts that wait, oldest first, and decides who gets the next connection (promise 6). Never takes a
 * lock, never opens a connection and never parks a thread.
 *
 * <p><b>States.</b> A waiter joins the queue and leaves it exactly once: with a connection, with an error, or because
 * its own side gives up. The first thread that writes the outcome of a {@link Waiter} decides which. A waiter that gave
 * up stays in the queue until it is the oldest, or until such waiters outnumber the others by more than a tolerated
 * number.
 *
 * <p><b>No wake-up is lost.</b> A waiter counts itself, joins, and then looks at the store once more. A thread that
 * makes a connection ready sets its bit and then reads the count. Both writes are full fences, so at least one of the
 * two threads sees the other.
 *
 * <p><b>Overtaking.</b> The obvious way is to hand every released connection to the oldest waiter. Then every release
 * switches threads, and all callers end up in the queue behind each other. Within the overtaking window a released
 * connection is therefore free for any caller, and the queue only wakes the oldest waiter to look. Threads that already
 * run take the connection without a switch of threads. Once the oldest waiter has waited for the window, connections
 * are handed to it directly, and newcomers join the queue behind it. A waiter without a thread cannot look, so
 * connections are always handed to it.
 *
 * <p><b>Platform threads.</b> The operating system decides when a woken platform thread runs, often many windows later.
 * Nobody can use a connection that was handed to a thread that does not run, and meanwhile every other thread joins the
 * queue. The window of a platform thread therefore ends only when the thread has run and looked. If it looks in vain
 * after the window, it claims the next connection ({@link #lookedInVain}), and the next one released is handed to it.
 * For a thread that does not come to look, the window ends after {@link #WINDOWS_UNTIL_DUE} windows. A virtual thread
 * gets no such extension: its carrier may not become free before an overtaking thread has to wait.
 *
 * <p><b>Stale connections.</b> A connection may go stale between the hand-over and the moment when the waiter takes it.
 * That waiter then joins a separate queue, which is served before the main one.
 *
 * @param <T> the connection
 */
public final class WaitQueue<T> {
    /**
     * Bounds, in overtaking windows, how long a platform thread that does not run can be overtaken. By default that is
     * 100 ms, a few time slices of a busy processor.
     */
    static final int WINDOWS_UNTIL_DUE = 100;

    /**
     * Lower bound for the time after which a waiting thread looks by itself. It keeps a window of 0 from making the
     * thread spin.
     */
    private static final long LOOK_MIN_NANOS = 10_000_000L;

    /**
     * How many waiters that gave up may stay in the queue, in addition to one for each that still waits. The bound
     * makes the cost of their removal small per waiter.
     */
    private static final int ABANDONED_MAX = 64;

    /** Bounds the attempts to plan the next sweep. An error that repeats this often is not transient. */
    private static final int SWEEP_TRIES_MAX = 3;

    private final WaiterChain<T> queue = new WaiterChain<>();

    /** Waiters whose connection had gone stale. They come before all others. The set is nearly always empty. */
    private final ConcurrentSkipListSet<Waiter<T>> again = new ConcurrentSkipListSet<>(
            Comparator.<Waiter<T>>comparingLong(w -> w.sinceNanos).thenComparingLong(w -> w.ticket));

    /** At least the size of {@link #again}. Every look at the head reads it, which costs less than asking the set. */
    private final AtomicInteger returning = new AtomicInteger();

    private final AtomicLong tickets = new AtomicLong();

    private final AtomicInteger abandoned = new AtomicInteger();
    private final ReadyStore<T> store;
    private final Gate gate;
    private final Time time;
    private final int waitersMax;
    private final long windowNanos;
    private final SetAside<T> setAside;

    /** The next sweep over the deadlines of waiters. At most one is planned. */
    private final AtomicReference<@Nullable Sweep> nextSweep = new AtomicReference<>();

    /** Whether newcomers are barred for a reason other than the queue: the reservoir is paused or closed. */
    private volatile boolean barred;

    public WaitQueue(
            ReadyStore<T> store, Gate gate, Time time, int waitersMax, long windowNanos, SetAside<T> setAside) {
        this.store = store;
        this.gate = gate;
        this.time = time;
        this.waitersMax = waitersMax;
        this.windowNanos = windowNanos;
        this.setAside = setAside;
    }

    /** Receives connections that were claimed but cannot be handed out. */
    @FunctionalInterface
    public interface SetAside<T> {
        void accept(Entry<T> entry, long nowNanos);
    }

    public int waiting() {
        return gate.waiting;
    }

    /**
     * Joins the queue. Returns false if the queue is full. The caller must look at the store, or call {@link #serve},
     * afterwards.
     */
    public boolean join(Waiter<T> waiter) {
        if (gate.addWaiting(1) > waitersMax) {
            gate.addWaiting(-1);
            return false;
        }
        queue.add(waiter);
        if (head() == waiter) {
            setGate();
        }
        return true;
    }

    /**
     * Joins ahead of the main queue, behind older waiters that did the same. It is for a waiter whose connection had
     * gone stale by the time the waiter took it. The caller continues as after {@link #join}.
     */
    public void joinAgain(Waiter<T> waiter) {
        gate.addWaiting(1);
        waiter.ticket = tickets.incrementAndGet();
        returning.incrementAndGet();
        try {
            again.add(waiter);
        } catch (RuntimeException | Error e) {
            returning.decrementAndGet();
            gate.addWaiting(-1);
            throw e;
        }
        setGate();
    }

    /** The first waiter, whose wait may be over. */
    private @Nullable Waiter<T> head() {
        if (returning.get() != 0) {
            for (Waiter<T> returned : again) {
                return returned;
            }
        }
        return queue.first();
    }

    /** Removes the first waiter. Returns false if another thread removed it. */
    private boolean remove(Waiter<T> first) {
        if (!first.isReturning()) {
            return queue.removeFirst(first);
        }
        boolean removed = again.remove(first);
        if (removed) {
            returning.decrementAndGet();
        }
        return removed;
    }

    /** Called exactly once for each waiter that joined, by its own side, when its wait is over for whatever reason. */
    public void leave(Waiter<T> waiter) {
        waiter.forget();
        if (!waiter.gaveUp()) {
            return;
        }
        gate.addWaiting(-1);
        if (!waiter.isReturning() && abandoned.incrementAndGet() > ABANDONED_MAX + gate.waiting) {
            abandoned.set(0);
            queue.removeEnded();
        }
        setGate();
    }

    /**
     * Arranges to wake this thread at its deadline. The thread has joined and parks without a limit. One timer serves
     * all waiters, because for virtual threads one timer each would cost as much as the wait itself.
     */
    public void watch(Waiter.Parked<T> waiter) {
        watchFrom(waiter.deadlineNanos);
    }

    private void watchFrom(long deadlineNanos) {
        Sweep planned = nextSweep.get();
        while (deadlineNanos < (planned == null ? Long.MAX_VALUE : planned.dueNanos)) {
            Sweep mine = new Sweep(deadlineNanos);
            if (nextSweep.compareAndSet(planned, mine)) {
                try {
                    mine.timer(time.schedule(deadlineNanos - time.nanos(), () -> sweep(mine)));
                } catch (RuntimeException | Error e) {
                    nextSweep.compareAndSet(mine, planned);
                    throw e;
                }
                if (planned != null) {
                    planned.cancel();
                }
                return;
            }
            planned = nextSweep.get();
        }
    }

    /**
     * The loop sees every waiter that joins before the first statement. Waiters that join later plan the next sweep
     * themselves.
     */
    private void sweep(Sweep due) {
        if (!nextSweep.compareAndSet(due, null)) {
            // Another sweep was planned for an earlier time. It covers all waiters.
            return;
        }
        long now = time.nanos();
        long[] next = {Long.MAX_VALUE};
        Consumer<Waiter<T>> look = waiter -> next[0] = Math.min(next[0], wakeIfDue(waiter, now));
        again.forEach(look);
        queue.forEach(look);
        watchAgainFrom(next[0]);
    }

    /** The waiters depend on the next sweep, so this retries after an error that may be transient. */
    private void watchAgainFrom(long deadlineNanos) {
        for (int tries = 1; ; tries++) {
            try {
                watchFrom(deadlineNanos);
                return;
            } catch (RuntimeException | Error e) {
                if (tries == SWEEP_TRIES_MAX) {
                    throw e;
                }
            }
        }
    }

    /** Returns when to look at this waiter again. */
    private static <T> long wakeIfDue(Waiter<T> waiter, long nowNanos) {
        if (!(waiter instanceof Waiter.Parked<T> parked) || parked.isOver()) {
            return Long.MAX_VALUE;
        }
        if (parked.deadlineNanos > nowNanos) {
            return parked.deadlineNanos;
        }
        parked.ended();
        return Long.MAX_VALUE;
    }

    /** Whether this waiter may take a ready connection itself: it is the oldest, or newcomers may take one as well. */
    public boolean mayTake(Waiter<T> waiter, long nowNanos) {
        return !barred && (nowNanos < gate.shutFromNanos || oldest() == waiter);
    }

    /**
     * Makes a connection available that the caller owns: to the oldest waiter if it is due, otherwise to the first
     * taker.
     *
     * <p>Reads no clock as long as newcomers may overtake. If the gate was open when the connection was acquired, the
     * oldest waiter may look for itself. If the gate has shut since, newcomers see that by their own clock and leave
     * the connection alone.
     */
    public void offer(Entry<T> entry) {
        if (gate.waiting != 0 && gate.shutFromNanos <= entry.acquiredNanos && handOver(entry)) {
            return;
        }
        store.putBack(entry);
        if (gate.waiting != 0) {
            if (!(head() instanceof Waiter.Parked<T> first) || !wakes(first)) {
                serve();
            }
        }
    }

    /**
     * Hands a connection that the caller owns to the oldest waiter, if that has waited long enough. Returns false if
     * the caller still owns the connection.
     */
    private boolean handOver(Entry<T> entry) {
        Waiter<T> first = oldest();
        if (first == null || barred) {
            return false;
        }
        long now = time.nanos();
        if (isStillToBeOvertaken(first, now)) {
            return false;
        }
        if (!entry.isUsable(now, gate.troubleNanos)) {
            setAside.accept(entry, now);
            return true;
        }
        return handAndPassOn(entry, first);
    }

    /**
     * Serves waiters as long as there are ready connections. Called after a connection was made ready, after a waiter
     * joined that cannot look for itself, and after a waiter left that may have been woken in vain.
     */
    public void serve() {
        Waiter<T> first;
        while (!barred && (first = oldest()) != null) {
            long now = time.nanos();
            if (isStillToBeOvertaken(first, now)) {
                // A caller that takes the last ready connection wakes the oldest waiter when it releases it.
                if (store.ready() == 0 || wakes((Waiter.Parked<T>) first)) {
                    return;
                }
                continue;
            }
            Entry<T> entry = claimUsable(now);
            if (entry == null) {
                return;
            }
            if (handToOldest(entry, first) == null) {
                store.putBack(entry);
            }
        }
    }

    /**
     * Serves waiters if connections are ready although somebody waits. That happens while the oldest waiter was woken
     * and does not run. A waiter that may not take a connection itself calls this before it sleeps or gives up.
     * Otherwise it could time out while a connection is ready.
     */
    public void serveIfReady() {
        if (store.ready() > 0) {
            serve();
        }
    }

    /**
     * The time at which a platform thread that joined at the given time looks for ready connections even if nobody woke
     * it.
     */
    public long firstLookNanos(long sinceNanos) {
        return Nanos.sum(sinceNanos, Math.max(LOOK_MIN_NANOS, WINDOWS_UNTIL_DUE * windowNanos));
    }

    /**
     * Claims a ready connection that may be handed out now. Sets aside unusable connections that it claims on the way.
     */
    public @Nullable Entry<T> claimUsable(long nowNanos) {
        Entry<T> entry;
        while ((entry = store.claim(time.lane())) != null) {
            if (entry.isUsable(nowNanos, gate.troubleNanos)) {
                return entry;
            }
            setAside.accept(entry, nowNanos);
        }
        return null;
    }

    /** Bars newcomers and stops serving, or resumes both. After it resumes, the caller must call {@link #serve}. */
    public void bar(boolean value) {
        barred = value;
        setGate();
    }

    /** Ends every wait with an error. */
    public void failAll(RuntimeException error) {
        Sweep planned = nextSweep.getAndSet(null);
        if (planned != null) {
            planned.cancel();
        }
        Waiter<T> waiter;
        while ((waiter = head()) != null) {
            if (remove(waiter) && isFailed(waiter, error)) {
                gate.addWaiting(-1);
            }
        }
        setGate();
    }

    /**
     * Ends one wait. If telling the waiter fails, the wait is over all the same, and the loop continues with the other
     * waiters.
     */
    private static <T> boolean isFailed(Waiter<T> waiter, RuntimeException error) {
        try {
            return waiter.fail(error);
        } catch (RuntimeException | Error untold) {
            return true;
        }
    }

    private boolean isStillToBeOvertaken(Waiter<T> oldest, long nowNanos) {
        return oldest instanceof Waiter.Parked && nowNanos < dueNanos(oldest);
    }

    /** The time from which newcomers must not overtake this waiter if it is the oldest. */
    private long dueNanos(Waiter<T> waiter) {
        boolean mayBeKeptFromLooking = waiter instanceof Waiter.Parked<T> parked && parked.mayBeKeptFromLooking();
        return Nanos.sum(waiter.sinceNanos, mayBeKeptFromLooking ? WINDOWS_UNTIL_DUE * windowNanos : windowNanos);
    }

    /**
     * Called by a waiter that was allowed to take a connection and found none. If its window has passed, it claims the
     * next connection.
     */
    public void lookedInVain(Waiter.Parked<T> waiter, long nowNanos) {
        if (waiter.mayBeKeptFromLooking() && nowNanos - waiter.sinceNanos >= windowNanos) {
            waiter.claimNext();
            setGate();
        }
    }

    /** Hands a connection that is reserved for waiters to the oldest one, at once. Returns false if nobody waits. */
    public boolean handNow(Entry<T> entry) {
        return !barred && handAndPassOn(entry, oldest());
    }

    /**
     * Wakes the oldest waiter to look for itself. Returns false if its wait was over; the next waiter must then be
     * told. This method wakes first and then reads the outcome. A thread that hands a connection over writes the
     * outcome first and then reads the wake-up. So one of the two threads sees the other, or the waiter itself sees
     * both.
     */
    private boolean wakes(Waiter.Parked<T> oldest) {
        oldest.wake();
        return !oldest.isOver();
    }

    /**
     * Hands a connection over. If the receiver had been woken for another connection, serves the others with that one.
     */
    private boolean handAndPassOn(Entry<T> entry, @Nullable Waiter<T> oldest) {
        Waiter<T> served = handToOldest(entry, oldest);
        if (served instanceof Waiter.Parked<T> parked && parked.isWoken()) {
            serve();
        }
        return served != null;
    }

    /** Returns the waiter that received the connection, or null if nobody waits. */
    private @Nullable Waiter<T> handToOldest(Entry<T> entry, @Nullable Waiter<T> oldest) {
        Waiter<T> waiter = oldest;
        while (waiter != null) {
            if (isHanded(entry, waiter)) {
                return waiter;
            }
            waiter = oldest();
        }
        return null;
    }

    /**
     * Hands the connection over. After that the wait is over and is no longer counted, even if an error keeps the
     * waiter from being told.
     */
    private boolean isHanded(Entry<T> entry, Waiter<T> waiter) {
        if (!waiter.take(entry)) {
            return false;
        }
        try {
            waiter.ended();
        } finally {
            remove(waiter);
            gate.addWaiting(-1);
            setGate();
        }
        return true;
    }

    /** The oldest waiter whose wait is not over. Removes ended waiters before it. */
    private @Nullable Waiter<T> oldest() {
        Waiter<T> first = head();
        while (first != null && first.isOver()) {
            if (remove(first) && first.gaveUp() && !first.isReturning()) {
                abandoned.decrementAndGet();
            }
            first = head();
        }
        return first;
    }

    /**
     * Every thread that changes the head, or the time when the head is due, sets the gate and then checks it again. So
     * the last write always matches the queue.
     */
    private void setGate() {
        long shutFrom;
        do {
            shutFrom = shutFromNanos();
            if (gate.shutFromNanos != shutFrom) {
                gate.shutFromNanos = shutFrom;
            }
        } while (shutFromNanos() != shutFrom);
    }

    private long shutFromNanos() {
        if (barred) {
            return Long.MIN_VALUE;
        }
        Waiter<T> first = oldest();
        return first == null ? Long.MAX_VALUE : dueNanos(first);
    }

    /** A planned sweep over the deadlines. It may be cancelled before its timer is set. */
    private static final class Sweep {
        private final long dueNanos;
        private volatile Time.@Nullable Timer timer;
        private volatile boolean cancelled;

        Sweep(long dueNanos) {
            this.dueNanos = dueNanos;
        }

        void timer(Time.Timer value) {
            timer = value;
            if (cancelled) {
                value.cancel();
            }
        }

        void cancel() {
            cancelled = true;
            Time.Timer set = timer;
            if (set != null) {
                set.cancel();
            }
        }
    }
}
