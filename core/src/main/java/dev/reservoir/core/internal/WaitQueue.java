package dev.reservoir.core.internal;

import dev.reservoir.core.spi.Time;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
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
 * <p>A waiter that gave up stays in the queue as a husk until it is the oldest, or until husks outnumber the others.
 *
 * @param <T> the connection
 */
public final class WaitQueue<T> {
    private static final int HUSKS_TOLERATED = 64;

    private final ConcurrentLinkedQueue<Waiter<T>> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger husks = new AtomicInteger();
    private final ReadyStore<T> store;
    private final Gate gate;
    private final Time time;
    private final int waitersMax;
    private final long windowNanos;
    private final SetAside<T> setAside;

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
        queue.add(waiter);
        setGate();
        return true;
    }

    /** Called exactly once for each that joined, by its own side, when its wait is over, however it ended. */
    public void leave(Waiter<T> waiter) {
        if (waiter.gaveUp()) {
            gate.addWaiting(-1);
        }
        if (husks.incrementAndGet() > HUSKS_TOLERATED + gate.waiting) {
            husks.set(0);
            queue.removeIf(Waiter::isOver);
        }
        setGate();
    }

    /** Whether this waiter may take a ready connection itself: it is the oldest, or newcomers may as well. */
    public boolean mayTake(Waiter<T> waiter, long nowNanos) {
        return !barred && (nowNanos < gate.shutFromNanos || oldest() == waiter);
    }

    /** Hands a connection that the caller owns to the oldest waiter, if it has waited long enough to have it handed. */
    public boolean handOver(Entry<T> entry) {
        Waiter<T> first = oldest();
        if (first == null || barred) {
            return false;
        }
        long now = time.nanos();
        if (isStillToBeOvertaken(first, now)) {
            return false;
        }
        if (!entry.isLendable(now, gate.troubleNanos)) {
            setAside.accept(entry, now);
            return true;
        }
        return handToOldest(entry, first);
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
                ((Waiter.Parked<T>) first).wake();
                return;
            }
            Entry<T> entry = claimLendable(now);
            if (entry == null) {
                return;
            }
            if (!handToOldest(entry, first)) {
                store.putBack(entry);
            }
        }
    }

    /** Takes a ready connection that may be lent now; what may not is set aside on the way. */
    public @Nullable Entry<T> claimLendable(long nowNanos) {
        Entry<T> entry;
        while ((entry = store.claim(time.lane())) != null) {
            if (entry.isLendable(nowNanos, gate.troubleNanos)) {
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
        Waiter<T> waiter;
        while ((waiter = queue.poll()) != null) {
            if (waiter.fail(error)) {
                gate.addWaiting(-1);
            }
        }
    }

    private boolean isStillToBeOvertaken(Waiter<T> oldest, long nowNanos) {
        return oldest instanceof Waiter.Parked && nowNanos - oldest.sinceNanos < windowNanos;
    }

    /** Hands a connection that is meant for a waiter alone to the oldest, at once. False if nobody waits. */
    boolean handNow(Entry<T> entry) {
        return !barred && handToOldest(entry, oldest());
    }

    private boolean handToOldest(Entry<T> entry, @Nullable Waiter<T> oldest) {
        Waiter<T> waiter = oldest;
        while (waiter != null) {
            if (waiter.hand(entry)) {
                gate.addWaiting(-1);
                setGate();
                return true;
            }
            waiter = oldest();
        }
        return false;
    }

    /** The oldest whose wait is not over. Husks before it are dropped. */
    private @Nullable Waiter<T> oldest() {
        Waiter<T> first = queue.peek();
        while (first != null && first.isOver()) {
            if (queue.remove(first)) {
                husks.decrementAndGet();
            }
            first = queue.peek();
        }
        return first;
    }

    /** Whoever changes the head sets the gate and looks again, so that the last write always fits the head. */
    private void setGate() {
        Waiter<T> first;
        boolean wasBarred;
        do {
            first = oldest();
            wasBarred = barred;
            gate.shutFromNanos =
                    wasBarred ? Long.MIN_VALUE : first == null ? Long.MAX_VALUE : first.sinceNanos + windowNanos;
        } while (oldest() != first || barred != wasBarred);
    }
}
