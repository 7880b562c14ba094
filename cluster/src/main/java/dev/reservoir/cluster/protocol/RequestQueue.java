package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one process that wait for permits or for leases. Urgent requests come before others, and each kind is
 * served in order. No request waits longer than the longest wait allowed. Never calls the store. The budget's serial
 * executor guards the state.
 */
public final class RequestQueue<T> {
    /** A request served within this time waited for the store's answer, not for a permit, so it did not wait. */
    private static final long AT_ONCE_NANOS = 100_000_000L;

    private final SerialExecutor serial;
    private final Time time;
    private final String what;
    private final OpenFailureReason reason;
    private final long maxWaitNanos;
    private final Runnable changed;
    private final Supplier<String> why;
    private final ArrayDeque<Request> urgent = new ArrayDeque<>();
    private final ArrayDeque<Request> normal = new ArrayDeque<>();
    private Time.@Nullable Timer deadline;
    private long granted;
    private long waited;
    private long waitNanos;
    private long failed;
    private boolean closed;

    /**
     * An empty queue.
     *
     * @param what the name of what the requests wait for
     * @param reason the reason for which requests fail
     * @param changed runs on the serial executor after a request has joined or left the queue
     * @param why explains, for the error message, why a request has waited too long
     */
    public RequestQueue(
            BudgetContext context,
            String what,
            OpenFailureReason reason,
            long maxWaitNanos,
            Runnable changed,
            Supplier<String> why) {
        this.serial = context.serial;
        this.time = context.timers();
        this.what = what;
        this.reason = reason;
        this.maxWaitNanos = maxWaitNanos;
        this.changed = changed;
        this.why = why;
    }

    public CompletableFuture<T> join(boolean isUrgent) {
        Request request = new Request(time.nanos());
        serial.enter(() -> {
            if (closed) {
                fail(request, "the cluster budget is closed");
                return;
            }
            (isUrgent ? urgent : normal).add(request);
            setDeadline();
            changed.run();
        });
        return request;
    }

    public int size() {
        return urgent.size() + normal.size();
    }

    public int urgent() {
        return urgent.size();
    }

    /** Returns how many requests have failed so far. */
    public long failed() {
        return failed;
    }

    /** Returns how long the oldest request that is not urgent has waited. */
    public long waitedNanos() {
        Request first = normal.peek();
        return first == null ? 0 : time.nanos() - first.sinceNanos;
    }

    /** Grants this to the next request. The queue must not be empty. Runs {@code ifGone} if nobody waits for it now. */
    public void serve(T value, Runnable ifGone) {
        Request next = urgent.isEmpty() ? normal.remove() : urgent.remove();
        long waitedFor = time.nanos() - next.sinceNanos;
        granted++;
        if (waitedFor > AT_ONCE_NANOS) {
            waited++;
            waitNanos += waitedFor;
        }
        setDeadline();
        serial.later(() -> {
            if (!next.complete(value)) {
                ifGone.run();
            }
        });
    }

    /** Fails all requests that wait now. */
    public void refuse(String because) {
        urgent.forEach(request -> fail(request, because));
        urgent.clear();
        normal.forEach(request -> fail(request, because));
        normal.clear();
        setDeadline();
    }

    /** Fails all waiting requests, and every later one. */
    public void close() {
        closed = true;
        refuse("the cluster budget is closed");
    }

    private void fail(Request request, String because) {
        failed++;
        var error = new OpenFailedException(reason, because, null);
        serial.later(() -> request.completeExceptionally(error));
    }

    private void setDeadline() {
        long first = Math.min(since(urgent), since(normal));
        if (first == Long.MAX_VALUE && deadline != null) {
            deadline.cancel();
            deadline = null;
        }
        // An existing timer was set for an earlier request. It may fire too early, but never too late.
        if (first < Long.MAX_VALUE && deadline == null) {
            long left = first + maxWaitNanos - time.nanos();
            deadline = time.schedule(left, () -> serial.enter(this::expire));
        }
    }

    private long since(ArrayDeque<Request> queue) {
        Request first = queue.peek();
        return first == null ? Long.MAX_VALUE : first.sinceNanos;
    }

    private void expire() {
        deadline = null;
        expire(urgent);
        expire(normal);
        setDeadline();
        changed.run();
    }

    private void expire(ArrayDeque<Request> queue) {
        long now = time.nanos();
        String because = null;
        Request first;
        while ((first = queue.peek()) != null && now - first.sinceNanos >= maxWaitNanos) {
            queue.remove();
            if (because == null) {
                because = "no " + what + " within " + Text.nanos(maxWaitNanos) + ": " + why.get();
            }
            fail(first, because);
        }
    }

    public BudgetStats.Permits permitStats(long denied, long givenBack, long lapsed) {
        return new BudgetStats.Permits(granted, waited, waitNanos, denied, failed, givenBack, lapsed, size());
    }

    private final class Request extends CompletableFuture<T> {
        private final long sinceNanos;

        Request(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean cancelled = super.cancel(mayInterruptIfRunning);
            serial.enter(() -> {
                if (urgent.remove(this) || normal.remove(this)) {
                    setDeadline();
                    changed.run();
                }
            });
            return cancelled;
        }
    }
}
