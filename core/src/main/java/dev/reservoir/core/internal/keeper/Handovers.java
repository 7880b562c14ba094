package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.ReadyStore;
import dev.reservoir.core.internal.checkout.WaitQueue;

/**
 * Passes connections of the keeper on to callers. Waiters are served at the end of a batch, so that listeners are told
 * of a new connection before a waiter gets it. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class Handovers<T> {
    private final EventLoop eventLoop;
    private final ReadyStore<T> store;
    private final WaitQueue<T> waiters;

    /** Temporary connections that arrived in this batch. Each of them ends a wait as soon as the batch is done. */
    private int temporary;

    private boolean madeReady;
    private boolean barred;
    private boolean barChanged;

    Handovers(EventLoop eventLoop, ReadyStore<T> store, WaitQueue<T> waiters) {
        this.eventLoop = eventLoop;
        this.store = store;
        this.waiters = waiters;
    }

    /** Makes a connection ready that the keeper owns. */
    void makeReady(Entry<T> entry) {
        store.putBack(entry);
        madeReady = true;
    }

    /** Hands a temporary connection to the oldest waiter at the end of the batch. */
    void handTemporary(Entry<T> entry, Runnable ifNobodyWaits) {
        temporary++;
        eventLoop.later(() -> {
            if (!waiters.handNow(entry)) {
                ifNobodyWaits.run();
            }
        });
    }

    /** How many callers wait that no temporary connection of this batch serves. */
    int unserved() {
        return Math.max(0, waiters.waiting() - temporary);
    }

    /** Hands out nothing until this is called with false. Takes effect at the end of the batch. */
    void bar(boolean value) {
        barred = value;
        barChanged = true;
    }

    void endBatch() {
        if (barChanged) {
            boolean bars = barred;
            eventLoop.later(() -> {
                waiters.bar(bars);
                waiters.serve();
            });
            barChanged = false;
        }
        if (madeReady && waiters.waiting() != 0) {
            eventLoop.later(waiters::serve);
        }
        madeReady = false;
        temporary = 0;
    }
}
