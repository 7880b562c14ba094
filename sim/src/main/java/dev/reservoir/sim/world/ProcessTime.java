package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.VirtualTime;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The time of one process on the clock that all share. A process that has died runs nothing more; one that stands still runs
 * late, when it goes on, what was due meanwhile, in the order in which it was due.
 */
final class ProcessTime implements Time {
    private final VirtualTime clock;
    private final ArrayDeque<Runnable> missed = new ArrayDeque<>();
    private final @Nullable Runnable before;
    private boolean dead;

    /** By how many things it is held up at the moment. */
    private int held;

    /** What is to be done before anything happens in the process, if something is. */
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

    /** As {@link #schedule}, for what is never cancelled. */
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

    /** Has the process hear of something that reaches it from outside. */
    void deliver(Runnable what) {
        if (held > 0) {
            missed.add(new Task(this, what));
        } else if (lets(what)) {
            what.run();
        }
    }

    /** Whether this may happen now. If the process stands still, it happens when it goes on. */
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

    /** Something that happens in a process, at its time or late. */
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
