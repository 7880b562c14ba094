package dev.reservoir.core.internal.calls;

import dev.reservoir.core.spi.Time;
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
 * Runs the engine's decisions one after another, off the callers' paths.
 *
 * <p>What happens is posted from any thread and handled in order, in batches, under a lock; nothing slow and nothing foreign
 * is ever called while it is held. What follows from a batch is put into the outbox and done after the lock was let go.
 * The lock is there for {@link #inspect}, which reads a consistent state from any thread; posting takes no lock.
 */
public final class EventLoop {
    private static final Logger log = LoggerFactory.getLogger(EventLoop.class);

    /** Bounds how late events are handled after a task was refused. Long enough to pass for memory that is short for a moment. */
    private static final long AGAIN_NANOS = 50_000_000L;

    private final Time time;
    private final EventDispatcher events;
    private final Queue<Runnable> inbox = new ConcurrentLinkedQueue<>();
    private final AtomicInteger posted = new AtomicInteger();

    /** Whether a timer is set because a task was refused. */
    private final AtomicBoolean postsAgain = new AtomicBoolean();

    /** Guards all state of the keeper and its parts, and the outbox. Held for short computations only. */
    private final ReentrantLock lock = new ReentrantLock();

    private ArrayDeque<Runnable> outbox = new ArrayDeque<>();
    private Runnable afterBatch = () -> {};
    private final Runnable drain = this::drain;

    public EventLoop(Time time, EventDispatcher events) {
        this.time = time;
        this.events = events;
    }

    /** What to do under the lock at the end of each batch. Set once, before the first post. */
    public void afterBatch(Runnable task) {
        afterBatch = task;
    }

    /** Hands over something that happened, to be handled soon under the lock. */
    public void post(Runnable event) {
        inbox.add(event);
        if (posted.getAndIncrement() == 0) {
            try {
                time.execute(drain);
            } catch (RuntimeException | Error e) {
                // Nobody drains now. The event stays in the inbox, and the next post begins again.
                posted.set(0);
                postAgainSoon();
            }
        }
    }

    /** The event may be the alarm of a reservoir that nobody uses: without a timer of its own it would sleep for ever. */
    private void postAgainSoon() {
        if (postsAgain.compareAndSet(false, true)) {
            try {
                var unused = time.schedule(AGAIN_NANOS, () -> {
                    postsAgain.set(false);
                    post(() -> {});
                });
            } catch (RuntimeException | Error noTimer) {
                // The next post begins again.
                postsAgain.set(false);
            }
        }
    }

    /** Has something done after the lock was let go. Only while handling an event. */
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

    /** Whatever is thrown on the way, memory that runs out included, the count of what was posted stays right. */
    private void drain() {
        int handled = posted.get();
        do {
            try {
                handle();
            } catch (RuntimeException | Error e) {
                report(e);
            }
            handled = posted.addAndGet(-handled);
        } while (handled != 0);
    }

    private void handle() {
        // Made before anything is taken, since it may fail.
        ArrayDeque<Runnable> spare = new ArrayDeque<>();
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
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            report(e);
        }
    }

    private void report(Throwable error) {
        try {
            events.run(() -> log.error(
                    "bug: the reservoir's control loop met an exception it does not know and goes on", error));
        } catch (RuntimeException | Error outOfMemory) {
            // Nothing more can be said.
        }
    }
}
