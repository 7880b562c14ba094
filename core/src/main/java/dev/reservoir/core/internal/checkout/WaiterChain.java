package dev.reservoir.core.internal.checkout;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waiters in order of arrival, linked through themselves. Any thread may add, look at and remove the first. Never takes
 * a lock, never blocks and allocates nothing.
 *
 * <p><b>Shape.</b> {@link #head} is a waiter that has left the chain already, or a marker at first. The first waiter is
 * the one behind it. To remove the first is one compare-and-set of the head, so exactly one thread removes it. The tail
 * may be several waiters behind the last one; an adding thread moves it on.
 *
 * <p><b>Why not a queue of the JDK.</b> {@link java.util.concurrent.ConcurrentLinkedQueue} allocates a node for each
 * waiter and searches for the waiter that it removes. With thousands of virtual threads in the queue that is a large
 * part of the cost of a wait.
 *
 * <p><b>Garbage.</b> A waiter that leaves at the head is linked to itself. Otherwise a waiter that the garbage
 * collector has moved to its old generation would keep all later waiters and their threads from being collected. A
 * thread that reads such a link begins again at the head.
 *
 * @param <T> the connection
 */
final class WaiterChain<T> {
    private static final VarHandle HEAD;
    private static final VarHandle TAIL;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            HEAD = lookup.findVarHandle(WaiterChain.class, "head", Waiter.class);
            TAIL = lookup.findVarHandle(WaiterChain.class, "tail", Waiter.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile Waiter<T> head;
    private volatile Waiter<T> tail;

    WaiterChain() {
        Waiter<T> marker = new Waiter.Deferred<>(0, over -> {});
        head = marker;
        tail = marker;
    }

    /** Adds a waiter that is in no chain and never was. */
    void add(Waiter<T> waiter) {
        for (; ; ) {
            Waiter<T> last = tail;
            Waiter<T> next = last.next();
            if (next == null) {
                if (last.setNext(null, waiter)) {
                    TAIL.compareAndSet(this, last, waiter);
                    return;
                }
            } else {
                // The tail is late. If its waiter has left the chain, the way to the end begins at the head.
                TAIL.compareAndSet(this, last, next == last ? head : next);
            }
        }
    }

    /** The first waiter, whose wait may be over, or null. */
    @Nullable
    Waiter<T> first() {
        for (; ; ) {
            Waiter<T> before = head;
            Waiter<T> first = before.next();
            if (first != before) {
                return first;
            }
        }
    }

    /** Removes this waiter if it is the first. Returns false if it is not, or if another thread removes it. */
    boolean removeFirst(Waiter<T> waiter) {
        Waiter<T> before = head;
        if (before.next() != waiter || !HEAD.compareAndSet(this, before, waiter)) {
            return false;
        }
        before.linkToItself();
        return true;
    }

    /** Calls back for every waiter that is in the chain throughout the call, for some perhaps more than once. */
    void forEach(Consumer<Waiter<T>> action) {
        Waiter<T> at = head;
        for (Waiter<T> next = at.next(); next != null; next = at.next()) {
            if (next == at) {
                at = head;
            } else {
                action.accept(next);
                at = next;
            }
        }
    }

    /**
     * Takes waiters whose wait is over out of the chain. It leaves the first and the last one, and those that another
     * thread takes out.
     */
    void removeEnded() {
        Waiter<T> kept = first();
        while (kept != null) {
            Waiter<T> next = kept.next();
            Waiter<T> live = next;
            while (live != null && live != kept && live.isOver()) {
                Waiter<T> following = live.next();
                if (following == null || following == live) {
                    break;
                }
                live = following;
            }
            if (next == kept) {
                return;
            }
            if (live != next && next != null && live != null) {
                kept.setNext(next, live);
            }
            kept = live;
        }
    }
}
