package dev.reservoir.core.util;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Daemon threads for code that may block. All pools of the process share the threads of one {@link Kind}, except a pool
 * with a thread factory, which has its own. Threads start when there is work, and end when they have had none for some
 * seconds, or when the last pool that shares them is closed. Users bound how many threads one pool takes. Never blocks.
 *
 * <p>While a thread works for a pool, it has a name of that pool and its context class loader.
 */
public final class WorkerThreads implements AutoCloseable {
    /** How long an idle thread waits for the next task: long enough for a steady trickle of tasks. */
    private static final long KEPT_SECONDS = 5;

    private static final String SPARE_NAME = "reservoir-spare";

    /** What the threads are for. Kinds do not take each other's threads. */
    public enum Kind {
        /** Calls of drivers. The limit protects the process from hanging servers of very many pools. */
        WORKER("worker", 4_096),

        /** Actions that applications attach to futures. The limit lets very many pools block some threads each. */
        CALLBACK("callback", 256),

        /** Listeners and log lines. The limit lets very many pools block one thread each. */
        EVENTS("events", 256),

        /**
         * One thread for callbacks if the system gives no other. So it starts with its first holder, while threads are
         * still available, and stays until its last.
         */
        SPARE("spare", 1);

        /** How many threads of this kind a process has at most. */
        public final int threadsMax;

        private final String label;

        Kind(String label, int threadsMax) {
            this.label = label;
            this.threadsMax = threadsMax;
        }
    }

    /** Guards the shared threads. Held for a moment only. */
    private static final ReentrantLock LOCK = new ReentrantLock();

    private static final Map<Kind, Shared> SHARED = new EnumMap<>(Kind.class);

    private final ThreadPoolExecutor executor;
    private final Runnable letGo;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();

    private WorkerThreads(ThreadPoolExecutor executor, Runnable letGo) {
        this.executor = executor;
        this.letGo = letGo;
    }

    /**
     * Returns the threads of one pool. Starts none yet.
     *
     * @param ownPrefix begins the names of the pool's own threads while they are idle
     * @param factory creates the pool's own threads; null if it shares those of the process
     */
    public static WorkerThreads of(Kind kind, String ownPrefix, @Nullable ThreadFactory factory) {
        if (factory != null) {
            ThreadPoolExecutor own = newExecutor(kind, ownPrefix + "-" + kind.label + "-", factory);
            return new WorkerThreads(own, own::shutdown);
        }
        LOCK.lock();
        try {
            Shared shared = SHARED.computeIfAbsent(kind, Shared::new);
            shared.holders++;
            return new WorkerThreads(shared.executor, () -> letGo(kind, shared));
        } finally {
            LOCK.unlock();
        }
    }

    private static void letGo(Kind kind, Shared shared) {
        LOCK.lock();
        try {
            if (--shared.holders == 0) {
                SHARED.remove(kind);
                shared.executor.shutdown();
            }
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Runs the task on one of the threads. If all threads of the kind are busy, a task of the kind {@link Kind#WORKER}
     * is rejected, and any other waits.
     *
     * @param name the name of the thread meanwhile; its number follows if the name ends with a dash
     * @throws RejectedExecutionException if too many tasks run, or after {@link #close}
     */
    public void execute(String name, Runnable task) {
        if (closed.get()) {
            throw new RejectedExecutionException("closed");
        }
        executor.execute(() -> run(name, task));
    }

    /**
     * Runs the task on the spare thread, which ends afterwards if nobody holds it. Tasks that hang delay later ones.
     * Throws if the thread does not run and the system gives none. Does not block.
     */
    public static void executeOnSpare(Runnable task) {
        try (WorkerThreads spare = of(Kind.SPARE, "", null)) {
            spare.execute(SPARE_NAME, task);
        }
    }

    /** Runs a task that must not end the thread, whatever it throws, because there may be no other. */
    static void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            Thread self = Thread.currentThread();
            self.getUncaughtExceptionHandler().uncaughtException(self, e);
        }
    }

    private void run(String name, Runnable task) {
        Thread thread = Thread.currentThread();
        String idleName = thread.getName();
        ClassLoader idleLoader = thread.getContextClassLoader();
        try {
            thread.setName(name.endsWith("-") ? name + idleName.substring(idleName.lastIndexOf('-') + 1) : name);
            thread.setContextClassLoader(loader);
            runGuarded(task);
        } finally {
            thread.setContextClassLoader(idleLoader);
            thread.setName(idleName);
        }
    }

    /** Whether all threads that there may be are busy or kept. */
    public boolean isFull() {
        return executor.getPoolSize() >= executor.getMaximumPoolSize();
    }

    /** Accepts no further task of this pool. The threads end after their tasks if no other pool shares them. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            letGo.run();
        }
    }

    private static ThreadPoolExecutor newExecutor(Kind kind, String namePrefix, ThreadFactory factory) {
        AtomicInteger number = new AtomicInteger();
        BlockingQueue<Runnable> queue = kind == Kind.WORKER ? new SynchronousQueue<>() : new GrowFirstQueue();
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                kind == Kind.SPARE ? 1 : 0, kind.threadsMax, KEPT_SECONDS, TimeUnit.SECONDS, queue, task -> {
                    Thread thread = factory.newThread(task);
                    thread.setName(kind == Kind.SPARE ? SPARE_NAME : namePrefix + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        if (queue instanceof GrowFirstQueue growFirst) {
            executor.setRejectedExecutionHandler(growFirst::enqueue);
        }
        executor.prestartAllCoreThreads();
        return executor;
    }

    /** The threads of one kind, while a pool shares them. Guarded by the lock. */
    private static final class Shared {
        final ThreadPoolExecutor executor;
        int holders;

        Shared(Kind kind) {
            executor = newExecutor(kind, "reservoir-" + kind.label + "-", Shared::newThread);
        }

        /** The thread belongs to no application, so it keeps neither a class loader nor thread locals of one. */
        private static Thread newThread(Runnable task) {
            Thread thread = new Thread(null, task, "", 0, false);
            thread.setContextClassLoader(WorkerThreads.class.getClassLoader());
            return thread;
        }
    }

    /**
     * Takes a task only if an idle thread waits for it. Otherwise the executor starts a thread, and queues the task
     * when there may be no more threads. A plain queue would keep the executor from starting threads.
     */
    @SuppressWarnings("serial") // never serialized
    private static final class GrowFirstQueue extends LinkedTransferQueue<Runnable> {
        @Override
        public boolean offer(Runnable task) {
            return tryTransfer(task);
        }

        void enqueue(Runnable task, ThreadPoolExecutor executor) {
            if (executor.isShutdown()) {
                throw new RejectedExecutionException("closed");
            }
            super.offer(task);
            if (executor.isShutdown() && remove(task)) {
                throw new RejectedExecutionException("closed");
            }
        }
    }
}
