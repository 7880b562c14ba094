package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.protocol.SerialExecutor;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Leases.Holder;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one process that wait for leases, in order, and the holders that can be asked to release some. Never
 * calls the store. The budget's serial executor guards the state.
 */
final class LeaseQueue {
    /** Time after which a request fails that could be neither served nor refused. */
    private static final long MAX_WAIT_NANOS = 10_000_000_000L;

    private final SerialExecutor serial;
    private final Time time;
    private final Runnable changed;
    private final Supplier<String> why;
    private final ArrayDeque<Request> waiting = new ArrayDeque<>();
    private final List<Holder> holders = new ArrayList<>();
    private Time.@Nullable Timer deadline;
    private boolean closed;
    private int recalled;
    private long denied;

    LeaseQueue(SerialExecutor serial, Time time, Runnable changed, Supplier<String> why) {
        this.serial = serial;
        this.time = time;
        this.changed = changed;
        this.why = why;
    }

    CompletableFuture<Lease> join() {
        Request request = new Request(time.nanos());
        serial.enter(() -> {
            if (closed) {
                fail(request, "the cluster budget is closed");
                return;
            }
            waiting.add(request);
            setDeadline();
            changed.run();
        });
        return request;
    }

    int size() {
        return waiting.size();
    }

    long denied() {
        return denied;
    }

    /**
     * Grants the lease to the next request. The queue must not be empty. Runs {@code ifGone} if the caller no longer
     * waits.
     */
    void serve(Lease lease, Runnable ifGone) {
        Request next = waiting.remove();
        setDeadline();
        serial.later(() -> {
            if (!next.complete(lease)) {
                ifGone.run();
            }
        });
    }

    /** Fails all requests that wait now. */
    void refuse(String reason) {
        denied += waiting.size();
        waiting.forEach(request -> fail(request, reason));
        waiting.clear();
        setDeadline();
    }

    void close() {
        closed = true;
        refuse("the cluster budget is closed");
    }

    private void fail(Request request, String reason) {
        var error = new OpenFailedException(OpenFailureReason.LEASE_ACQUIRE, reason, null);
        serial.later(() -> request.completeExceptionally(error));
    }

    private void setDeadline() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
        Request first = waiting.peek();
        if (first != null) {
            deadline = time.schedule(
                    Math.max(1, first.sinceNanos + MAX_WAIT_NANOS - time.nanos()), () -> serial.enter(this::expire));
        }
    }

    private void expire() {
        long now = time.nanos();
        Request first;
        while ((first = waiting.peek()) != null && now - first.sinceNanos >= MAX_WAIT_NANOS) {
            waiting.remove();
            denied++;
            fail(first, "no lease within " + Text.nanos(MAX_WAIT_NANOS) + ": " + why.get());
        }
        setDeadline();
        changed.run();
    }

    void attach(Holder holder) {
        serial.enter(() -> holders.add(holder));
    }

    void detach(Holder holder) {
        serial.enter(() -> holders.remove(holder));
    }

    /** Asks the holders to release leases, so that {@code wanted} leases in total are on their way back. */
    void recall(int wanted) {
        if (wanted <= recalled) {
            return;
        }
        int more = wanted - recalled;
        recalled = wanted;
        List<Holder> all = List.copyOf(holders);
        serial.later(() -> {
            int left = more;
            for (Holder holder : all) {
                left -= left > 0 ? holder.recall(left) : 0;
            }
            int missing = left;
            serial.enter(() -> recalled = Math.max(0, recalled - missing));
        });
    }

    /** Notes that a lease came back. */
    void cameBack() {
        recalled = Math.max(0, recalled - 1);
    }

    private static final class Request extends CompletableFuture<Lease> {
        private final long sinceNanos;

        Request(long sinceNanos) {
            this.sinceNanos = sinceNanos;
        }
    }
}
