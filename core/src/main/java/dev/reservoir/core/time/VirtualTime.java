package dev.reservoir.core.time;

import dev.reservoir.core.spi.Time;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Time that moves only when it is told to. Single-threaded: tasks run in the order of their due times, those of the same time
 * in the order in which they were given, on the thread that moves the time. Never waits.
 *
 * <p>A simulation has a hundred million events, so an event is no more than a place in three arrays: a heap in which each has
 * up to four below it, so that those that are compared lie side by side.
 */
public final class VirtualTime implements Time {
    private static final int BELOW = 4;
    private static final int SWEPT_LEAST = 256;

    /** The heap: when each is due, as how many-eth it was given, and what it is. */
    private long[] due = new long[256];

    private long[] order = new long[256];
    private Runnable[] tasks = new Runnable[256];
    private int size;

    /** Whether the first of the heap has begun to run: its place is free for what it brings about. */
    private boolean firstIsGone;

    /** About how many were cancelled and still stand here. Most time-outs are, long before they are due. */
    private int cancelled;

    /** Due when they were given, which is now. What is in the heap and due by now was given before them, and comes first. */
    private final ArrayDeque<Runnable> atOnce = new ArrayDeque<>();

    private long nowNanos;
    private long given;

    /** Stands at zero, with nothing to do. */
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

    /** As {@link #schedule}, for what is never cancelled, or knows by itself when it has been: there is no timer to make. */
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

    /** All callers share one thread, so they share one lane: the same run on every machine. */
    @Override
    public long lane() {
        return 0;
    }

    /** Runs the next event, moving the time to it. Answers false if there is none. */
    public boolean step() {
        return step(Long.MAX_VALUE);
    }

    /** Runs the next event if it is due by then, moving the time to it. Answers whether there was one. */
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
            // A jump went beyond: what is due now is due later than that.
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
        return tasks[0];
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

    /** Runs every event due up to and including the given time, then stands at it. */
    public void advanceTo(long untilNanos) {
        while (step(untilNanos)) {
            // On to the next.
        }
        nowNanos = Math.max(nowNanos, untilNanos);
    }

    /** Runs every event due within the given time from now, then stands at its end. */
    public void advance(long byNanos) {
        advanceTo(nowNanos + byNanos);
    }

    /** Runs what is due now, and what that brings about at the same moment. */
    public void settle() {
        advanceTo(nowNanos);
    }

    /** Moves the clock forward without running anything, as when a machine was suspended. What became due runs late. */
    public void jump(long byNanos) {
        // What was due before comes before what became due meanwhile.
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
        if (cancelled > SWEPT_LEAST && cancelled > size / 2) {
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
            // One that was given later goes above another only if it is due earlier.
            if (due[above] <= dueNanos) {
                break;
            }
            move(above, at);
            at = above;
        }
        put(at, dueNanos, given++, task);
    }

    /** Takes out what was cancelled, all at once. */
    private void sweep() {
        int left = 0;
        for (int i = 0; i < size; i++) {
            if (!(tasks[i] instanceof Event event && event.isCancelled())) {
                move(i, left++);
            }
        }
        Arrays.fill(tasks, left, size, (Runnable) VirtualTime::nothing);
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
            // What has run is not kept alive.
            tasks[last] = VirtualTime::nothing;
        }
    }

    /** Puts one in a place from which another was taken, or below it, among so many. */
    private void sink(int place, int count, long dueNanos, long number, Runnable task) {
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
            move(least, at);
            at = least;
        }
        put(at, dueNanos, number, task);
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

    private static void nothing() {}

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
