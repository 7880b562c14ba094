package dev.reservoir.core.time;

import dev.reservoir.core.spi.Time;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Time that moves only when it is told to. Single-threaded: tasks run in the order of their due times, those of the same time
 * in the order in which they were given, on the thread that moves the time. Never waits.
 */
public final class VirtualTime implements Time {
    /** Due later than when they were given. */
    private final PriorityQueue<Event> later = new PriorityQueue<>();

    /** Due when they were given, in order: all others that are due come before or after by their order alone. */
    private final ArrayDeque<Event> atOnce = new ArrayDeque<>();

    private long nowNanos;
    private long order;

    /** Stands at zero, with nothing to do. */
    public VirtualTime() {}

    @Override
    public long nanos() {
        return nowNanos;
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        long delay = Math.max(0, delayNanos);
        Event event = new Event(nowNanos > Long.MAX_VALUE - delay ? Long.MAX_VALUE : nowNanos + delay, order++, task);
        if (delay == 0) {
            atOnce.add(event);
        } else {
            later.add(event);
        }
        return event;
    }

    @Override
    public void execute(Runnable task) {
        schedule(0, task);
    }

    /** All callers share one thread, so they share one lane: the same run on every machine. */
    @Override
    public long lane() {
        return 0;
    }

    /** Runs the next event, moving the time to it. Answers false if there is none. */
    public boolean step() {
        Event event = nextLive();
        if (event == null) {
            return false;
        }
        if (event == atOnce.peek()) {
            atOnce.poll();
        } else {
            later.poll();
        }
        nowNanos = Math.max(nowNanos, event.dueNanos);
        Runnable task = event.take();
        if (task != null) {
            task.run();
        }
        return true;
    }

    /** When the next event is due, or {@link Long#MAX_VALUE} if there is none. */
    public long nextDueNanos() {
        Event event = nextLive();
        return event == null ? Long.MAX_VALUE : Math.max(nowNanos, event.dueNanos);
    }

    /** Runs every event due up to and including the given time, then stands at it. */
    public void advanceTo(long untilNanos) {
        while (nextDueNanos() <= untilNanos) {
            step();
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
        nowNanos += byNanos;
    }

    private @Nullable Event nextLive() {
        Event now = nextLive(atOnce);
        Event then = nextLive(later);
        if (now == null || then == null) {
            return now == null ? then : now;
        }
        return now.compareTo(then) < 0 ? now : then;
    }

    private static @Nullable Event nextLive(Queue<Event> events) {
        Event event = events.peek();
        while (event != null && event.isCancelled()) {
            events.poll();
            event = events.peek();
        }
        return event;
    }

    private static final class Event implements Timer, Comparable<Event> {
        private final long dueNanos;
        private final long order;
        private @Nullable Runnable task;

        Event(long dueNanos, long order, Runnable task) {
            this.dueNanos = dueNanos;
            this.order = order;
            this.task = task;
        }

        @Override
        public int compareTo(Event other) {
            return dueNanos != other.dueNanos
                    ? Long.compare(dueNanos, other.dueNanos)
                    : Long.compare(order, other.order);
        }

        boolean isCancelled() {
            return task == null;
        }

        @Nullable
        Runnable take() {
            Runnable taken = task;
            task = null;
            return taken;
        }

        @Override
        public void cancel() {
            task = null;
        }
    }
}
