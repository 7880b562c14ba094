package dev.reservoir.sim.pools;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.spi.Time;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Common part of the models of other pools: ready connections, connections in use, a wait queue in order, and closing.
 */
abstract class ModelPool implements SimulatedPool {
    final PoolContext around;
    final Time time;
    final Deque<Link> ready = new ArrayDeque<>();
    private final Set<Link> inUse = new LinkedHashSet<>();
    private final Deque<Waiting> queue = new ArrayDeque<>();
    private @Nullable Runnable whenHeld;
    private int whenHeldCount;
    private @Nullable Runnable whenClosed;
    private int validating;
    private int opening;
    private int closing;
    boolean closed;

    ModelPool(PoolContext around) {
        this.around = around;
        this.time = around.time();
    }

    /** Removes the next ready connection that may be handed out, or returns null. */
    abstract @Nullable Link nextReady();

    /** Called after each change of the counts. The pool may have a reason to open a connection. */
    abstract void changed();

    /** Called when a caller releases a connection that works. */
    abstract void cameBack(Link link);

    final int size() {
        return ready.size() + inUse.size() + validating;
    }

    // Acquiring and releasing.

    @Override
    public @Nullable Link tryTake() {
        if (!queue.isEmpty()) {
            return null;
        }
        Link link = nextReady();
        if (link != null) {
            inUse.add(link);
            changed();
        }
        return link;
    }

    @Override
    public final void take(long timeoutNanos, Consumer<@Nullable Link> then) {
        around.events().empty();
        if (closed) {
            then.accept(null);
            return;
        }
        Waiting waiting = new Waiting(then);
        queue.add(waiting);
        waiting.timer = time.schedule(timeoutNanos, () -> {
            if (queue.remove(waiting)) {
                then.accept(null);
            }
        });
        serve();
        changed();
    }

    /** Hands ready connections to the waiters, in order. */
    final void serve() {
        while (!queue.isEmpty()) {
            Link link = nextReady();
            if (link == null) {
                return;
            }
            Waiting first = queue.remove();
            first.cancelTimer();
            inUse.add(link);
            first.then.accept(link);
        }
    }

    @Override
    public final void giveBack(Link link) {
        if (!inUse.remove(link)) {
            // The pool was closed and stopped waiting for this connection.
            return;
        }
        link.idleSinceNanos = time.nanos();
        if (closed) {
            discard(link, DiscardReason.SHUTDOWN);
        } else {
            cameBack(link);
            serve();
            changed();
        }
    }

    @Override
    public final void giveBackBroken(Link link) {
        if (inUse.remove(link)) {
            discard(link, DiscardReason.BAD);
            changed();
        }
    }

    /** Checks whether a connection still works. The caller has already removed it from the ready connections. */
    final void validate(Link link, Consumer<Boolean> then) {
        validating++;
        long timeout = around.settings().connectTimeout().toNanos();
        StageAnswers.hear(time, around.connector().validate(link, timeout), (works, error) -> {
            validating--;
            then.accept(Boolean.TRUE.equals(works));
            checkClosed();
        });
    }

    // Opening and closing.

    /**
     * Opens one connection. Calls {@code then} with the connection, or {@code orElse} if the connect failed. Does not
     * block.
     */
    final void open(long lifetimeNanos, @Nullable Lease lease, Consumer<Link> then, Runnable orElse) {
        opening++;
        boolean[] over = {false};
        long timeout = around.settings().connectTimeout().toNanos();
        Time.Timer deadline = time.schedule(timeout, () -> {
            over[0] = true;
            failed(OpenFailureReason.CONNECT_TIMEOUT, orElse);
        });
        StageAnswers.hear(time, around.connector().open(timeout), (link, error) -> {
            deadline.cancel();
            if (link != null) {
                link.lease = lease;
            }
            if (over[0]) {
                late(link, lease);
            } else if (link == null) {
                giveBack(lease);
                failed(reason(error), orElse);
            } else {
                opening--;
                link.endsNanos = time.nanos() + lifetimeNanos;
                link.idleSinceNanos = time.nanos();
                around.events().opened(link);
                then.accept(link);
                checkHeld();
            }
        });
    }

    private void late(@Nullable Link link, @Nullable Lease lease) {
        if (link == null) {
            giveBack(lease);
        } else {
            close(link, DiscardReason.LATE);
        }
    }

    private void failed(OpenFailureReason reason, Runnable orElse) {
        opening--;
        around.events().openFailed(reason);
        orElse.run();
        checkClosed();
    }

    private static OpenFailureReason reason(@Nullable Throwable error) {
        Throwable cause = error == null || error.getCause() == null ? error : error.getCause();
        return cause instanceof OpenFailedException named ? named.reason() : OpenFailureReason.CONNECT;
    }

    final void discard(Link link, DiscardReason reason) {
        around.events().discarded(link, reason);
        close(link, reason);
    }

    private void close(Link link, DiscardReason reason) {
        closing++;
        StageAnswers.hear(time, around.connector().close(link, reason), (nothing, error) -> {
            closing--;
            giveBack(link.lease);
            checkClosed();
        });
    }

    /** Releases a lease. Tries once and ignores the result. */
    final void giveBack(@Nullable Lease lease) {
        Leases leases = around.leases();
        if (lease != null && leases != null) {
            var unused = leases.release(lease);
        }
    }

    @Override
    public final void whenHolding(int count, Runnable then) {
        whenHeldCount = count;
        whenHeld = then;
        checkHeld();
    }

    private void checkHeld() {
        Runnable then = whenHeld;
        if (then != null && size() >= whenHeldCount) {
            whenHeld = null;
            then.run();
        }
    }

    @Override
    public final State state() {
        return new State(ready.size(), inUse.size(), validating, opening, closing, queue.size());
    }

    @Override
    public final void close(Runnable then) {
        // Runs in the process's own time, so a process that hangs closes late.
        time.execute(() -> {
            closed = true;
            whenClosed = then;
            Link link;
            while ((link = ready.poll()) != null) {
                discard(link, DiscardReason.SHUTDOWN);
            }
            while (!queue.isEmpty()) {
                Waiting waiting = queue.remove();
                waiting.cancelTimer();
                waiting.then.accept(null);
            }
            time.schedule(DRAIN.toNanos(), this::waitNoLonger);
            checkClosed();
        });
    }

    private void waitNoLonger() {
        List<Link> left = List.copyOf(inUse);
        inUse.clear();
        left.forEach(link -> discard(link, DiscardReason.SHUTDOWN));
    }

    private void checkClosed() {
        Runnable then = whenClosed;
        if (then != null && size() + opening + closing == 0) {
            whenClosed = null;
            then.run();
        }
    }

    private static final class Waiting {
        private final Consumer<@Nullable Link> then;
        private Time.@Nullable Timer timer;

        Waiting(Consumer<@Nullable Link> then) {
            this.then = then;
        }

        void cancelTimer() {
            if (timer != null) {
                timer.cancel();
            }
        }
    }
}
