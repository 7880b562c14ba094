package dev.reservoir.sim.world;

import dev.reservoir.core.spi.Time;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The time that all share. Moves from event to event: those of the same time run in the order in which they were given. Never
 * waits.
 *
 * <p>Does what the engine's own {@link dev.reservoir.core.time.VirtualTime} does, and makes nothing of an event but a place in
 * three arrays, since a large fleet has a hundred million of them: a heap in which each has up to four below it, so that
 * those that are compared lie side by side.
 */
final class Clock implements Time {
    private static final int BELOW = 4;
    private static final int SWEPT_LEAST = 256;

    /** The heap: when each is due, as how many-eth it was given, and what it is. */
    private long[] due = new long[256];

    private long[] order = new long[256];
    private Runnable[] tasks = new Runnable[256];
    private int size;

    /** Whether the first of the heap has begun to run: its place is free for what it brings about. */
    private boolean firstIsGone;

    /** About how many in the heap were cancelled. Most time-outs are, long before they are due. */
    private int cancelled;

    /** Due when they were given. What is in the heap and due by now was given before them, and comes first. */
    private final ArrayDeque<Runnable> atOnce = new ArrayDeque<>();

    private long nowNanos;
    private long given;

    @Override
    public long nanos() {
        return nowNanos;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        Cancellable event = new Cancellable(this, task);
        start(delayNanos, event);
        return event;
    }

    @Override
    public void execute(Runnable task) {
        atOnce.add(task);
    }

    @Override
    public long lane() {
        return 0;
    }

    /** As {@link #schedule}, for what is never cancelled, or knows by itself when it has been. */
    void start(long delayNanos, Runnable task) {
        if (delayNanos <= 0) {
            atOnce.add(task);
        } else {
            add(delayNanos > Long.MAX_VALUE - nowNanos ? Long.MAX_VALUE : nowNanos + delayNanos, task);
        }
    }

    /** When the next event is due; {@link Long#MAX_VALUE} if there is none. */
    long nextDueNanos() {
        closeGap();
        if (!atOnce.isEmpty()) {
            return nowNanos;
        }
        return size == 0 ? Long.MAX_VALUE : due[0];
    }

    /** Runs the next event if it is due by then, moving the time to it. Answers whether there was one. */
    boolean step(long untilNanos) {
        Runnable next = next(untilNanos);
        while (next instanceof Cancellable event && event.isCancelled()) {
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
        if (size == 0 || (due[0] > nowNanos && !atOnce.isEmpty())) {
            return atOnce.poll();
        }
        if (due[0] > untilNanos) {
            return null;
        }
        nowNanos = due[0];
        firstIsGone = true;
        return tasks[0];
    }

    /** Runs every event due by then, and stands at that time. */
    void moveTo(long nanos) {
        while (step(nanos)) {
            // On to the next.
        }
        nowNanos = Math.max(nowNanos, nanos);
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
            if (!(tasks[i] instanceof Cancellable event && event.isCancelled())) {
                move(i, left++);
            }
        }
        Arrays.fill(tasks, left, size, (Runnable) Clock::nothing);
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
            tasks[last] = Clock::nothing;
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

    private static void nothing() {}

    private void move(int from, int to) {
        due[to] = due[from];
        order[to] = order[from];
        tasks[to] = tasks[from];
    }

    /** Runs once, unless it was cancelled before. */
    static class Cancellable implements Runnable, Timer {
        private final Clock clock;
        private @Nullable Runnable task;

        Cancellable(Clock clock, Runnable task) {
            this.clock = clock;
            this.task = task;
        }

        final boolean isCancelled() {
            return task == null;
        }

        @Override
        public void run() {
            Runnable mine = task;
            if (mine != null) {
                task = null;
                mine.run();
            }
        }

        @Override
        public final void cancel() {
            if (task != null) {
                task = null;
                clock.cancelled++;
            }
        }
    }
}
