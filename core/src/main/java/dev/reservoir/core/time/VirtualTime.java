package dev.reservoir.core.time;

import dev.reservoir.core.spi.Time;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A time that moves only on request. It is single-threaded: the thread that moves the time runs the tasks, in the order
 * of their due times. Tasks with the same due time run in the order of submission. Never waits.
 *
 * <p>A simulation has a hundred million events, so an event is only an index into three arrays. They form a heap in
 * which each element has up to four children, so that the elements to compare are adjacent in memory.
 */
public final class VirtualTime implements Time {
    /** The number of children of an element of the heap. */
    private static final int BELOW = 4;

    /** Fewer cancelled tasks than this are not worth a sweep. */
    private static final int SWEEP_MIN = 256;

    /**
     * The heap: the due time of each task, its number in the order of submission, and the task itself. The tasks are in
     * an array of objects, because every store into an array of an interface type is checked at some cost.
     */
    private long[] due = new long[256];

    private long[] order = new long[256];
    private @Nullable Object[] tasks = new @Nullable Object[256];
    private int size;

    /** Whether the first task of the heap has begun to run, so that a task that it schedules can reuse its place. */
    private boolean firstIsGone;

    /** Roughly how many cancelled tasks are still here. Most timeouts are cancelled long before they are due. */
    private int cancelled;

    /**
     * Tasks that were due when they were submitted, which is now. A task in the heap that is due by now was submitted
     * before them, and runs first.
     */
    private final ArrayDeque<Runnable> atOnce = new ArrayDeque<>();

    private long nowNanos;
    private long given;

    /** Starts at zero, without tasks. */
    public VirtualTime() {}

    @Override
    public long nanos() {
        return nowNanos;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        Event event = new Event(task);
        start(delayNanos, event);
        return event;
    }

    /**
     * Does the same as {@link #schedule} for a task that is never cancelled, or that keeps track of that itself.
     * Creates no timer.
     */
    public void start(long delayNanos, Runnable task) {
        if (delayNanos <= 0) {
            atOnce.add(task);
        } else {
            add(delayNanos > Long.MAX_VALUE - nowNanos ? Long.MAX_VALUE : nowNanos + delayNanos, task);
        }
    }

    @Override
    public void execute(Runnable task) {
        atOnce.add(task);
    }

    /** All callers share one thread, so they share one lane. A run is then the same on every machine. */
    @Override
    public long lane() {
        return 0;
    }

    /** Runs the next event and moves the time to it. Returns false if there is none. */
    public boolean step() {
        return step(Long.MAX_VALUE);
    }

    /** Runs the next event if it is due by the given time, and moves the time to it. Returns whether there was one. */
    public boolean step(long untilNanos) {
        Runnable next = next(untilNanos);
        while (next instanceof Event event && event.isCancelled()) {
            cancelled--;
            next = next(untilNanos);
        }
        if (next == null) {
            return false;
        }
        next.run();
        return true;
    }

    private @Nullable Runnable next(long untilNanos) {
        closeGap();
        if (nowNanos > untilNanos) {
            // A jump went beyond that time, so an event that is due now is due later than that.
            return null;
        }
        if (size == 0 || (due[0] > nowNanos && !atOnce.isEmpty())) {
            return atOnce.poll();
        }
        if (due[0] > untilNanos) {
            return null;
        }
        nowNanos = Math.max(nowNanos, due[0]);
        firstIsGone = true;
        return (Runnable) tasks[0];
    }

    /** When the next event is due, or {@link Long#MAX_VALUE} if there is none. */
    public long nextDueNanos() {
        while (atOnce.peek() instanceof Event event && event.isCancelled()) {
            cancelled--;
            atOnce.poll();
        }
        closeGap();
        while (size > 0 && tasks[0] instanceof Event event && event.isCancelled()) {
            cancelled--;
            firstIsGone = true;
            closeGap();
        }
        if (!atOnce.isEmpty()) {
            return nowNanos;
        }
        return size == 0 ? Long.MAX_VALUE : Math.max(nowNanos, due[0]);
    }

    /** Runs every event due up to and including the given time, then stops at that time. */
    public void advanceTo(long untilNanos) {
        while (step(untilNanos)) {
            // The condition does the work.
        }
        nowNanos = Math.max(nowNanos, untilNanos);
    }

    /** Runs every event due within the given time from now, then stops at the end of it. */
    public void advance(long byNanos) {
        advanceTo(nowNanos + byNanos);
    }

    /** Runs all events that are due now, including those that they submit for the same moment. */
    public void settle() {
        advanceTo(nowNanos);
    }

    /**
     * Moves the clock forward without running anything, as if the machine had been suspended. Events that become due
     * run late.
     */
    public void jump(long byNanos) {
        // Events that were due before run before those that became due meanwhile.
        while (!atOnce.isEmpty()) {
            add(nowNanos, atOnce.remove());
        }
        nowNanos += byNanos;
    }

    private void add(long dueNanos, Runnable task) {
        if (firstIsGone) {
            firstIsGone = false;
            sink(0, size, dueNanos, given++, task);
            return;
        }
        if (cancelled > SWEEP_MIN && cancelled > size / 2) {
            sweep();
        }
        if (size == due.length) {
            due = Arrays.copyOf(due, 2 * size);
            order = Arrays.copyOf(order, 2 * size);
            tasks = Arrays.copyOf(tasks, 2 * size);
        }
        int at = size++;
        while (at > 0) {
            int above = (at - 1) / BELOW;
            // A task that was submitted later goes above another only if it is due earlier.
            if (due[above] <= dueNanos) {
                break;
            }
            move(above, at);
            at = above;
        }
        put(at, dueNanos, given++, task);
    }

    /** Removes all cancelled tasks at once. */
    private void sweep() {
        int left = 0;
        for (int i = 0; i < size; i++) {
            if (!(tasks[i] instanceof Event event && event.isCancelled())) {
                move(i, left++);
            }
        }
        Arrays.fill(tasks, left, size, null);
        size = left;
        cancelled = 0;
        for (int at = (size - 2) / BELOW; at >= 0 && size > 1; at--) {
            sink(at, size, due[at], order[at], tasks[at]);
        }
    }

    private void closeGap() {
        if (firstIsGone) {
            firstIsGone = false;
            int last = --size;
            sink(0, last, due[last], order[last], tasks[last]);
            // A task that has run must not be kept alive.
            tasks[last] = null;
        }
    }

    /** Puts a task into a free place, or below it, within the first {@code count} elements. */
    private void sink(int place, int count, long dueNanos, long number, @Nullable Object task) {
        long[] due = this.due;
        long[] order = this.order;
        @Nullable Object[] tasks = this.tasks;
        int at = place;
        for (int first = BELOW * at + 1; first < count; first = BELOW * at + 1) {
            int least = first;
            int end = Math.min(first + BELOW, count);
            for (int i = first + 1; i < end; i++) {
                if (due[i] < due[least] || (due[i] == due[least] && order[i] < order[least])) {
                    least = i;
                }
            }
            if (dueNanos < due[least] || (dueNanos == due[least] && number < order[least])) {
                break;
            }
            due[at] = due[least];
            order[at] = order[least];
            tasks[at] = tasks[least];
            at = least;
        }
        due[at] = dueNanos;
        order[at] = number;
        tasks[at] = task;
    }

    private void put(int at, long dueNanos, long number, Runnable task) {
        due[at] = dueNanos;
        order[at] = number;
        tasks[at] = task;
    }

    private void move(int from, int to) {
        due[to] = due[from];
        order[to] = order[from];
        tasks[to] = tasks[from];
    }

    /** Runs once, unless it was cancelled before. */
    private final class Event implements Runnable, Timer {
        private @Nullable Runnable task;

        Event(Runnable task) {
            this.task = task;
        }

        boolean isCancelled() {
            return task == null;
        }

        @Override
        public void run() {
            Runnable mine = task;
            task = null;
            if (mine != null) {
                mine.run();
            }
        }

        @Override
        public void cancel() {
            if (task != null) {
                task = null;
                cancelled++;
            }
        }
    }
}
