package dev.reservoir.core.internal.calls;

import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.EventDispatcher;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the engine's decisions one after another, off the paths of callers. Events never wait and never call listeners
 * or the connector while the lock is held. The only foreign calls under it never block: the clock, its timers and the
 * rate of permits.
 *
 * <p>Any thread posts events. The loop handles them in order, in batches, under the lock. The actions that follow from
 * a batch go to the outbox and run after the lock is released. The lock exists for {@link #inspect}, which reads a
 * consistent state from any thread. To post takes no lock.
 */
public final class EventLoop {
    private static final Logger log = LoggerFactory.getLogger(EventLoop.class);

    /**
     * Bounds how late events are handled after the executor rejected a task. The pause is long enough for a short lack
     * of memory to pass.
     */
    private static final long AGAIN_NANOS = 50_000_000L;

    private final Time time;
    private final EventDispatcher events;
    private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicInteger posted = new AtomicInteger();

    /** Whether a timer is set because the executor rejected a task. */
    private final AtomicBoolean postsAgain = new AtomicBoolean();

    /** Guards all state of the keeper and its parts, and the outbox. Held for short computations only. */
    private final ReentrantLock lock = new ReentrantLock();

    private ArrayDeque<Runnable> outbox = new ArrayDeque<>();

    /** Takes the place of the outbox while that is emptied. Only the thread that drains uses it. */
    private ArrayDeque<Runnable> spare = new ArrayDeque<>();

    private Runnable afterBatch = () -> {};
    private final Runnable drain = this::drain;

    public EventLoop(Time time, EventDispatcher events) {
        this.time = time;
        this.events = events;
    }

    /** Sets the task that runs under the lock at the end of each batch. Set once, before the first post. */
    public void afterBatch(Runnable task) {
        afterBatch = task;
    }

    /** The present, on the reservoir's clock. */
    public long nanos() {
        return time.nanos();
    }

    /** Posts the event after the delay, unless the timer is cancelled first. Takes no lock and does not block. */
    public Time.Timer schedule(long delayNanos, Runnable event) {
        return time.schedule(delayNanos, new Due(event));
    }

    /** A timer's task. A class, because lambdas that capture something are slow until they are optimized. */
    private final class Due implements Runnable {
        private final Runnable event;

        Due(Runnable event) {
            this.event = event;
        }

        @Override
        public void run() {
            post(event);
        }
    }

    /** Has another thread write a log line, because an appender may hang. Never blocks and never throws. */
    public void log(Runnable line) {
        events.run(line);
    }

    /** Posts an event, to be handled soon under the lock. Takes no lock and does not block. */
    public void post(Runnable event) {
        inbox.add(event);
        if (posted.getAndIncrement() == 0) {
            try {
                time.execute(drain);
            } catch (RuntimeException | Error e) {
                // Nothing drains the inbox now. The event stays in it, and the next post tries again.
                posted.set(0);
                postAgainSoon();
            }
        }
    }

    /**
     * The event may be the timer of a reservoir that nobody uses. Without another timer that reservoir would never wake
     * up.
     */
    private void postAgainSoon() {
        if (postsAgain.compareAndSet(false, true)) {
            try {
                var unused = time.schedule(AGAIN_NANOS, () -> {
                    postsAgain.set(false);
                    post(() -> {});
                });
            } catch (RuntimeException | Error noTimer) {
                // The next post tries again.
                postsAgain.set(false);
            }
        }
    }

    /** Runs an action after the lock is released. May be called only while an event is handled. */
    public void later(Runnable action) {
        outbox.add(action);
    }

    /** Reads state under the lock, from any thread. */
    public <R> R inspect(Supplier<R> reader) {
        lock.lock();
        try {
            return reader.get();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whatever is thrown here, even a checked exception that nobody declared, the count of posted events stays right.
     */
    private void drain() {
        int handled = posted.get();
        do {
            try {
                handle();
            } catch (Throwable e) {
                report(e);
            }
            handled = posted.addAndGet(-handled);
        } while (handled != 0);
    }

    private void handle() {
        ArrayDeque<Runnable> actions;
        lock.lock();
        try {
            Runnable event;
            while ((event = inbox.poll()) != null) {
                run(event);
            }
            run(afterBatch);
            actions = outbox;
            outbox = spare;
        } finally {
            lock.unlock();
        }
        Runnable action;
        while ((action = actions.poll()) != null) {
            run(action);
        }
        spare = actions;
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            report(e);
        }
    }

    private void report(Throwable error) {
        try {
            events.run(
                    () -> log.error("bug: the reservoir's event loop met an unexpected exception, it goes on", error));
        } catch (RuntimeException | Error outOfMemory) {
            // Nothing more can be reported.
        }
    }
}
