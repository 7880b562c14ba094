package dev.reservoir.jdbc.connect;

import dev.reservoir.core.util.WorkerThreads;
import dev.reservoir.core.util.WorkerThreads.Kind;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls of a driver, which may hang, for one data source. Each call in progress has a thread of its own, and their
 * number is bounded, so that one data source cannot take all threads of the process. Never queues: a task starts at
 * once or is refused.
 */
final class DriverThreads {
    private final String namePrefix;
    private final int callsMax;
    private final WorkerThreads threads;
    private final AtomicInteger calls = new AtomicInteger();
    private final Set<Job> jobs = ConcurrentHashMap.newKeySet(1);
    private volatile boolean ended;

    /**
     * Starts no thread yet.
     *
     * @param namePrefix begins the name of a thread during a call
     * @param threads runs the calls; not closed by this object
     */
    DriverThreads(String namePrefix, int callsMax, WorkerThreads threads) {
        this.namePrefix = namePrefix;
        this.callsMax = callsMax;
        this.threads = threads;
    }

    /**
     * Starts the task now. Returns null if too many calls are in progress, if there is no thread, or after the end.
     * Does not block.
     */
    @Nullable
    Job start(Runnable task) {
        if (ended) {
            return null;
        }
        if (calls.incrementAndGet() > callsMax) {
            calls.decrementAndGet();
            return null;
        }
        Job job = new Job(task, this::over);
        try {
            jobs.add(job);
            threads.execute(namePrefix, job);
        } catch (RuntimeException | Error noThread) {
            over(job);
            return null;
        }
        if (ended) {
            job.interrupt();
        }
        return job;
    }

    private void over(Job job) {
        jobs.remove(job);
        calls.decrementAndGet();
    }

    boolean isEnded() {
        return ended;
    }

    /** Describes why the last task was refused. */
    String whyRefused() {
        if (calls.get() >= callsMax) {
            return "all " + callsMax + " threads are taken by calls of the driver that hang";
        }
        return threads.isFull()
                ? "all " + Kind.WORKER.threadsMax + " threads of the process for calls of drivers are taken"
                : "neither the system nor threadFactory gives a further thread";
    }

    /** Interrupts all tasks. Does not block. */
    void end() {
        ended = true;
        jobs.forEach(Job::interrupt);
    }

    /** One task. It can be interrupted at any time without interrupting the next task on the same thread. */
    static final class Job implements Runnable {
        private final Runnable task;
        private final Consumer<Job> whenOver;

        /** The thread that runs the task. Guarded by this. */
        private @Nullable Thread runner;

        /** Whether an interrupt came before the task began. Guarded by this. */
        private boolean interruptedEarly;

        Job(Runnable task, Consumer<Job> whenOver) {
            this.task = task;
            this.whenOver = whenOver;
        }

        @Override
        public void run() {
            begin(Thread.currentThread());
            try {
                task.run();
            } finally {
                end();
                // An interrupt was meant for the task that has just ended.
                Thread.interrupted();
                whenOver.accept(this);
            }
        }

        private synchronized void begin(Thread thread) {
            runner = thread;
            if (interruptedEarly) {
                thread.interrupt();
            }
        }

        private synchronized void end() {
            runner = null;
        }

        /** Interrupts the task: now if it runs, when it begins if it has not begun. Does nothing if it has ended. */
        synchronized void interrupt() {
            if (runner != null) {
                runner.interrupt();
            } else {
                interruptedEarly = true;
            }
        }
    }
}
