package dev.reservoir.cluster.permits;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.protocol.SerialExecutor;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Permits.Permit;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one process that wait for permits. Urgent requests come before others, and each kind is served in
 * order. No request waits longer than the longest wait allowed. Never calls the store. The budget's serial executor
 * guards the state.
 */
final class PermitQueue {
    /**
     * A request that is served within this time waited for the store's answer, not for a permit, so it does not count
     * as waiting.
     */
    private static final long AT_ONCE_NANOS = 100_000_000L;

    private final SerialExecutor serial;
    private final Time time;
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
     * @param changed runs on the serial executor after a request has joined or left the queue
     * @param why explains, for the error message, why a request has waited too long
     */
    PermitQueue(SerialExecutor serial, Time time, long maxWaitNanos, Runnable changed, Supplier<String> why) {
        this.serial = serial;
        this.time = time;
        this.maxWaitNanos = maxWaitNanos;
        this.changed = changed;
        this.why = why;
    }

    CompletableFuture<Permit> join(Urgency urgency) {
        Request request = new Request(time.nanos());
        serial.enter(() -> {
            if (closed) {
                fail(request, "the cluster budget is closed");
                return;
            }
            (urgency == Urgency.URGENT ? urgent : normal).add(request);
            setDeadline();
            changed.run();
        });
        return request;
    }

    int size() {
        return urgent.size() + normal.size();
    }

    int urgent() {
        return urgent.size();
    }

    /** Returns how long the oldest request that is not urgent has waited. */
    long waitedNanos() {
        Request first = normal.peek();
        return first == null ? 0 : time.nanos() - first.sinceNanos;
    }

    /** Grants the permit to the next request. The queue must not be empty. */
    void serve(Permit permit) {
        Request next = urgent.isEmpty() ? normal.remove() : urgent.remove();
        long waitedFor = time.nanos() - next.sinceNanos;
        granted++;
        if (waitedFor > AT_ONCE_NANOS) {
            waited++;
            waitNanos += waitedFor;
        }
        setDeadline();
        serial.later(() -> {
            if (!next.complete(permit)) {
                permit.giveBack();
            }
        });
    }

    /** Fails all waiting requests, and every later one. */
    void close() {
        closed = true;
        failAll("the cluster budget is closed");
    }

    private void failAll(String reason) {
        urgent.forEach(request -> fail(request, reason));
        urgent.clear();
        normal.forEach(request -> fail(request, reason));
        normal.clear();
        setDeadline();
    }

    private void fail(Request request, String reason) {
        failed++;
        var error = new OpenFailedException(OpenFailureReason.RATE_LIMIT, reason, null);
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
            deadline = time.schedule(
                    first + maxWaitNanos - time.nanos(),
                    () -> serial.enter(() -> {
                        deadline = null;
                        expire(urgent);
                        expire(normal);
                        setDeadline();
                        changed.run();
                    }));
        }
    }

    private static long since(ArrayDeque<Request> queue) {
        Request first = queue.peek();
        return first == null ? Long.MAX_VALUE : first.sinceNanos;
    }

    private void expire(ArrayDeque<Request> queue) {
        long now = time.nanos();
        String reason = null;
        Request first;
        while ((first = queue.peek()) != null && now - first.sinceNanos >= maxWaitNanos) {
            queue.remove();
            if (reason == null) {
                reason = "no permit within " + Text.nanos(maxWaitNanos) + ": " + why.get();
            }
            fail(first, reason);
        }
    }

    BudgetStats.Permits stats(long denied, long givenBack, long lapsed) {
        return new BudgetStats.Permits(granted, waited, waitNanos, denied, failed, givenBack, lapsed, size());
    }

    private final class Request extends CompletableFuture<Permit> {
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
