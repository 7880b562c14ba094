package dev.reservoir.core.time;

import dev.reservoir.core.spi.Time;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The machine's time, with one daemon thread for timers and tasks: its own, or one that it shares. After {@link #close}
 * the clock continues, tasks run on the thread that submits them, and timers never fire. So a connect that returns late
 * can still be closed.
 */
public final class SystemTime implements Time, AutoCloseable {
    private final long originNanos = System.nanoTime();
    private final ScheduledThreadPoolExecutor executor;
    private final Runnable letGo;

    /** The timers that have neither fired nor been cancelled. */
    private final Set<Scheduled> timers = ConcurrentHashMap.newKeySet(1);

    private final AtomicBoolean closed = new AtomicBoolean();

    private SystemTime(ScheduledThreadPoolExecutor executor, Runnable letGo) {
        this.executor = executor;
        this.letGo = letGo;
    }

    private SystemTime(ScheduledThreadPoolExecutor own) {
        this(own, own::shutdown);
    }

    /** Does the same as {@link #SystemTime(String, ThreadFactory)}, with plain threads. */
    public SystemTime(String threadName) {
        this(threadName, Thread::new);
    }

    /**
     * Starts a thread of its own at once, so that no deadline depends on whether a thread is available later. The
     * thread gets the given name.
     */
    public SystemTime(String threadName, ThreadFactory factory) {
        this(SharedLoop.newExecutor(threadName, factory));
    }

    /**
     * Returns a time on one of the few threads {@code reservoir-loop-<n>} that all pools of this process share. The
     * thread starts at once, unless it runs already. It ends when every time on it is closed.
     */
    public static SystemTime shared() {
        SharedLoop loop = SharedLoop.bind();
        return new SystemTime(loop.executor, loop::unbind);
    }

    @Override
    public long nanos() {
        return System.nanoTime() - originNanos;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        Scheduled timer = new Scheduled(task);
        timers.add(timer);
        try {
            timer.future = executor.schedule(timer, delayNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ended) {
            timers.remove(timer);
        } catch (RuntimeException | Error e) {
            timers.remove(timer);
            throw e;
        }
        if (closed.get()) {
            timer.cancel();
        }
        return timer;
    }

    @Override
    public void execute(Runnable task) {
        if (closed.get()) {
            task.run();
            return;
        }
        try {
            executor.execute(task);
        } catch (RejectedExecutionException ended) {
            task.run();
        }
    }

    /** Cancels all timers, and ends the thread if nobody shares it. Does not block. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            timers.forEach(Scheduled::cancel);
            letGo.run();
        }
    }

    private final class Scheduled implements Timer, Runnable {
        private final Runnable task;
        private volatile @Nullable Future<?> future;

        Scheduled(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            if (timers.remove(this)) {
                task.run();
            }
        }

        @Override
        public void cancel() {
            timers.remove(this);
            Future<?> scheduled = future;
            if (scheduled != null) {
                scheduled.cancel(false);
            }
        }
    }
}
