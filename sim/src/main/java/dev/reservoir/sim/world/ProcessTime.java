package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.VirtualTime;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The time of one process, on the clock that all processes share. A dead process runs nothing more. A process that
 * hangs runs its due tasks late, when it continues, in the order in which they were due.
 */
final class ProcessTime implements Time {
    private final VirtualTime clock;
    private final ArrayDeque<Runnable> missed = new ArrayDeque<>();
    private final @Nullable Runnable before;
    private boolean dead;

    /** Number of faults that make the process hang now. */
    private int held;

    /**
     * Creates the time of a process.
     *
     * @param before runs before each task of the process; null for nothing
     */
    ProcessTime(VirtualTime clock, @Nullable Runnable before) {
        this.clock = clock;
        this.before = before;
    }

    @Override
    public long nanos() {
        return clock.nanos();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        Task mine = new Task(this, task);
        mine.timer = clock.schedule(delayNanos, mine);
        return mine;
    }

    @Override
    public void execute(Runnable task) {
        clock.execute(new Task(this, task));
    }

    @Override
    public long lane() {
        return 0;
    }

    /** Schedules a job like {@link #schedule}, for jobs that are never cancelled. */
    void start(long delayNanos, Job job) {
        clock.start(delayNanos, job);
    }

    void die() {
        dead = true;
        missed.clear();
    }

    void stand() {
        held++;
    }

    void goOn() {
        if (--held > 0) {
            return;
        }
        int count = missed.size();
        for (int i = 0; i < count; i++) {
            clock.execute(missed.remove());
        }
    }

    boolean standsStill() {
        return held > 0;
    }

    /** Delivers to the process something that comes from outside. */
    void deliver(Runnable what) {
        if (held > 0) {
            missed.add(new Task(this, what));
        } else if (lets(what)) {
            what.run();
        }
    }

    /** Whether a task may run now. If the process hangs, the task runs when the process continues. */
    private boolean lets(Runnable what) {
        if (dead) {
            return false;
        }
        if (held > 0) {
            missed.add(what);
            return false;
        }
        if (before != null) {
            before.run();
        }
        return true;
    }

    /** A task of a process that is never cancelled. It runs at its time, or late if the process hangs. */
    abstract static class Job implements Runnable {
        private final ProcessTime time;

        Job(ProcessTime time) {
            this.time = time;
        }

        abstract void happen();

        @Override
        public final void run() {
            if (time.lets(this)) {
                happen();
            }
        }
    }

    private static final class Task implements Runnable, Timer {
        private final ProcessTime time;
        private @Nullable Runnable task;
        private @Nullable Timer timer;

        Task(ProcessTime time, Runnable task) {
            this.time = time;
            this.task = task;
        }

        @Override
        public void run() {
            Runnable mine = task;
            if (mine != null && time.lets(this)) {
                task = null;
                mine.run();
            }
        }

        @Override
        public void cancel() {
            task = null;
            if (timer != null) {
                timer.cancel();
            }
        }
    }
}
