package dev.reservoir.core.internal.checkout;

import dev.reservoir.core.internal.stats.Nanos;
import dev.reservoir.core.spi.Time;
import java.util.Comparator;
import java.util.Iterator;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The checkouts that wait, oldest first, and the rules by which they are served (promise 6). Takes no lock.
 *
 * <p><b>No wake-up is lost.</b> A waiter counts itself, joins, and then looks at the store once more; whoever makes a
 * connection ready sets its bit and then looks at the count. Both are full fences, so at least one sees the other.
 *
 * <p><b>Overtaking.</b> Within the overtaking window a connection that comes back stays free for whoever is first, and the
 * oldest waiter is only woken to look: threads that run take it without a switch of threads, so no convoy forms. Once the
 * oldest has waited for the window, connections are handed to it directly and newcomers join the queue behind it. Waiters
 * without a thread are always handed their connection, since they cannot look.
 *
 * <p><b>Platform threads.</b> The system decides when a woken platform thread runs, often many windows later. A connection
 * handed to a thread that does not run is of no use to anybody meanwhile, and every other thread ends up in the queue. So the
 * window of a platform thread ends when it has run and looked: at its first look in vain after the window it claims its turn
 * ({@link #lookedInVain}), and the next connection that comes back is handed to it. A thread that does not come to look claims
 * its turn after {@link #WINDOWS_UNTIL_DUE} windows. A virtual thread has no such grace: a carrier may never come free before a
 * thread that overtakes has to wait.
 *
 * <p>Who had its turn and found what it was handed gone stale waits on in a line of its own, ahead of all others.
 *
 * <p>A waiter that gave up stays in the queue as a husk until it is the oldest, or until husks outnumber the others.
 *
 * @param <T> the connection
 */
public final class WaitQueue<T> {
    /** Bounds how long a platform thread that does not run can be overtaken: 100 ms by default, some turns of a busy processor. */
    static final int WINDOWS_UNTIL_DUE = 100;

    /** Bounds how soon a waiting thread looks by itself, so that a window of 0 does not keep it awake. */
    private static final long LOOK_MIN_NANOS = 10_000_000L;

    private static final int HUSKS_TOLERATED = 64;
    private static final int SWEEP_TRIES_MAX = 3;

    private final ConcurrentLinkedQueue<Waiter<T>> queue = new ConcurrentLinkedQueue<>();

    /** Those who had their turn before, in vain: they come before all others. Hardly ever is there one. */
    private final ConcurrentSkipListSet<Waiter<T>> again = new ConcurrentSkipListSet<>(
            Comparator.<Waiter<T>>comparingLong(w -> w.sinceNanos).thenComparingLong(w -> w.ticket));

    private final AtomicLong tickets = new AtomicLong();

    private final AtomicInteger husks = new AtomicInteger();
    private final ReadyStore<T> store;
    private final Gate gate;
    private final Time time;
    private final int waitersMax;
    private final long windowNanos;
    private final SetAside<T> setAside;

    /** The next look at the deadlines of waiters; there is never more than this one. */
    private final AtomicReference<@Nullable Sweep> nextSweep = new AtomicReference<>();

    /** Says whether newcomers are barred for another reason than the queue: paused or closed. */
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

    /** Takes connections that were claimed but cannot be lent. */
    @FunctionalInterface
    public interface SetAside<T> {
        void accept(Entry<T> entry, long nowNanos);
    }

    public int waiting() {
        return gate.waiting;
    }

    /** Joins the queue. False if it is full. The caller must look at the store, or call {@link #serve}, afterwards. */
    public boolean join(Waiter<T> waiter) {
        if (gate.addWaiting(1) > waitersMax) {
            gate.addWaiting(-1);
            return false;
        }
        try {
            queue.add(waiter);
        } catch (RuntimeException | Error e) {
            gate.addWaiting(-1);
            throw e;
        }
        if (head() == waiter) {
            setGate();
        }
        return true;
    }

    /**
     * Joins at the head, behind those only who did so too and came before it: for one whose turn it was, and who was handed a connection
     * that had gone stale when it came to take it. The caller goes on as after {@link #join}.
     */
    public void joinAgain(Waiter<T> waiter) {
        gate.addWaiting(1);
        waiter.ticket = tickets.incrementAndGet();
        try {
            again.add(waiter);
        } catch (RuntimeException | Error e) {
            gate.addWaiting(-1);
            throw e;
        }
        setGate();
    }

    /** The first in line, which may be over. */
    private @Nullable Waiter<T> head() {
        if (!again.isEmpty()) {
            Iterator<Waiter<T>> returned = again.iterator();
            if (returned.hasNext()) {
                return returned.next();
            }
        }
        return queue.peek();
    }

    /** Takes one out of the line. False if somebody else did. */
    private boolean remove(Waiter<T> waiter) {
        return waiter.isReturning() ? again.remove(waiter) : queue.remove(waiter);
    }

    /** Called exactly once for each that joined, by its own side, when its wait is over, however it ended. */
    public void leave(Waiter<T> waiter) {
        if (!waiter.gaveUp()) {
            return;
        }
        gate.addWaiting(-1);
        if (!waiter.isReturning() && husks.incrementAndGet() > HUSKS_TOLERATED + gate.waiting) {
            husks.set(0);
            queue.removeIf(Waiter::isOver);
        }
        setGate();
    }

    /**
     * Has this thread, which has joined and parks without a limit, woken at its deadline. One timer serves all who wait: for
     * virtual threads a timer each would cost as much as the wait itself.
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

    /** Those who join before the first line are seen by the loop; those who join after it plan the next sweep themselves. */
    private void sweep(Sweep due) {
        if (!nextSweep.compareAndSet(due, null)) {
            // Another was planned for an earlier time, and will see to everybody.
            return;
        }
        long now = time.nanos();
        long next = Long.MAX_VALUE;
        for (Waiter<T> waiter : again) {
            next = Math.min(next, wakeIfDue(waiter, now));
        }
        for (Waiter<T> waiter : queue) {
            next = Math.min(next, wakeIfDue(waiter, now));
        }
        watchAgainFrom(next);
    }

    /** Whoever waits depends on it, so an error of a moment is not the end. */
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

    /** Answers when this one is to be looked at again. */
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

    /** Whether this waiter may take a ready connection itself: it is the oldest, or newcomers may as well. */
    public boolean mayTake(Waiter<T> waiter, long nowNanos) {
        return !barred && (nowNanos < gate.shutFromNanos || oldest() == waiter);
    }

    /**
     * Makes a connection available that the caller owns: to the oldest waiter if it is its turn, else to whoever comes first.
     *
     * <p>Reads no clock as long as newcomers may overtake: that the gate was open when the connection was lent is enough to
     * leave it to the oldest waiter to look for itself. If the gate has been shut since, newcomers see that by their own
     * clock and leave the connection alone.
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

    /** Hands a connection that the caller owns to the oldest waiter, if it has waited long enough to have it handed. */
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
     * Serves waiters as far as there are ready connections. Called after a connection was made ready, after a waiter
     * joined that cannot look for itself, and after one left that may have been woken in vain.
     */
    public void serve() {
        Waiter<T> first;
        while (!barred && (first = oldest()) != null) {
            long now = time.nanos();
            if (isStillToBeOvertaken(first, now)) {
                // Whoever takes the last one wakes the oldest when it comes back.
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
     * Serves waiters if connections are ready although somebody waits. That happens while the oldest was woken and does not run.
     * Called by a waiter that may not take one itself, before it sleeps or gives up, so that it does not end beside a ready one.
     */
    public void serveIfReady() {
        if (store.ready() > 0) {
            serve();
        }
    }

    /** When a platform thread that joined at this time looks whether connections are ready although it was not woken. */
    public long firstLookNanos(long sinceNanos) {
        return Nanos.sum(sinceNanos, Math.max(LOOK_MIN_NANOS, WINDOWS_UNTIL_DUE * windowNanos));
    }

    /** Takes a ready connection that may be lent now; what may not is set aside on the way. */
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

    /** Bars newcomers and stops serving, or goes on; the caller must call {@link #serve} then. */
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

    /** Ends one wait. If an error keeps this waiter from hearing of it, the wait is over all the same, and the others are told. */
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

    /** From when on this waiter, if it is the oldest, is not to be overtaken. */
    private long dueNanos(Waiter<T> waiter) {
        boolean mayBeKeptFromLooking = waiter instanceof Waiter.Parked<T> parked && parked.mayBeKeptFromLooking();
        return Nanos.sum(waiter.sinceNanos, mayBeKeptFromLooking ? WINDOWS_UNTIL_DUE * windowNanos : windowNanos);
    }

    /** Called by a waiter that was allowed to take a connection and found none. After its window it claims its turn by this. */
    public void lookedInVain(Waiter.Parked<T> waiter, long nowNanos) {
        if (waiter.mayBeKeptFromLooking() && nowNanos - waiter.sinceNanos >= windowNanos) {
            waiter.claimTurn();
            setGate();
        }
    }

    /** Hands a connection that is meant for a waiter alone to the oldest, at once. False if nobody waits. */
    public boolean handNow(Entry<T> entry) {
        return !barred && handAndPassOn(entry, oldest());
    }

    /**
     * Wakes the oldest to look for itself. False if its wait was over: whatever it was to look for is the next one's. It is
     * woken first and looked at afterwards, while whoever hands it a connection does it the other way round, so that one of
     * them sees the other, or the waiter itself sees both.
     */
    private boolean wakes(Waiter.Parked<T> oldest) {
        oldest.wake();
        return !oldest.isOver();
    }

    /** Hands a connection over; if the one who got it had been woken for another, that is looked after. */
    private boolean handAndPassOn(Entry<T> entry, @Nullable Waiter<T> oldest) {
        Waiter<T> served = handToOldest(entry, oldest);
        if (served instanceof Waiter.Parked<T> parked && parked.isWoken()) {
            serve();
        }
        return served != null;
    }

    /** Answers who got it; null if nobody waits. */
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

    /** Hands it over. The wait is over then and no longer counts, though an error keeps the waiter from hearing of it. */
    private boolean isHanded(Entry<T> entry, Waiter<T> waiter) {
        try {
            return waiter.hand(entry);
        } finally {
            if (waiter.has(entry)) {
                remove(waiter);
                gate.addWaiting(-1);
                setGate();
            }
        }
    }

    /** The oldest whose wait is not over. Husks before it are dropped. */
    private @Nullable Waiter<T> oldest() {
        Waiter<T> first = head();
        while (first != null && first.isOver()) {
            if (remove(first) && first.gaveUp() && !first.isReturning()) {
                husks.decrementAndGet();
            }
            first = head();
        }
        return first;
    }

    /** Whoever changes the head, or when it is due, sets the gate and looks again, so that the last write always fits. */
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

    /** A planned look at the deadlines. May be cancelled before it has its timer. */
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
