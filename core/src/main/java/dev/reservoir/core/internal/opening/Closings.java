package dev.reservoir.core.internal.opening;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Settings;
import dev.reservoir.core.internal.calls.EngineSpi;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.calls.SpiCalls;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.internal.stats.EngineCounters;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.DoublingPause;
import dev.reservoir.core.util.Text;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes discarded connections and releases their leases, each exactly once and off the paths of callers (promise 5).
 * Never decides which connection to close. All state is guarded by the keeper's lock.
 *
 * <p><b>States.</b> A closing is queued, in flight, then releases its lease, and is done. At most
 * {@code closesInFlightMax} are in flight at once. The keeper queues closings. The connector's answer, or the timeout
 * if that comes first, ends the close and starts the release of the lease. A release is attempted
 * {@code leaseReleaseAttempts} times at most, with growing pauses. If an error keeps a step from beginning, the closing
 * stays where it is, and the next scan begins the step again.
 *
 * <p><b>Places.</b> A closing also keeps a place among the open connections, until it is closed or for
 * {@link #PLACE_KEPT_NANOS}. The obvious ways are to free the place at once or to wait for the close. The first opens a
 * successor while the server still counts the old connection, and the server may refuse it. The second lets a close
 * that hangs hold up its successor.
 *
 * @param <T> the connection
 */
@SuppressWarnings("EnumOrdinal") // an array is faster than a map
public final class Closings<T> {
    /**
     * Longest time that a connection being closed keeps its place among the open ones. By then it is usually closed,
     * and a close that hangs must not hold up its successor (promise 8).
     */
    public static final long PLACE_KEPT_NANOS = 100_000_000L;

    private static final Logger log = LoggerFactory.getLogger(Closings.class);

    private final EventLoop eventLoop;
    private final CurrentSettings settings;
    private final Connector<T> connector;
    private final @Nullable Leases leases;
    private final LeaseCount leaseCount;
    private final EngineCounters counters;
    private final ArrayDeque<Closing<T>> queue = new ArrayDeque<>();

    /** Releases of leases that an error kept from beginning. */
    private final Queue<Runnable> owedReleases = new ArrayDeque<>();

    private int inFlight;
    private int releasing;

    /** Closings that may still have a place, in the order of their discard. */
    private final Queue<Closing<T>> placed = new ArrayDeque<>();

    /** How many closings of each kind have a place. */
    private final int[] places = new int[Kind.values().length];

    public Closings(
            EventLoop eventLoop,
            EngineSpi<T> spi,
            CurrentSettings settings,
            LeaseCount leaseCount,
            EngineCounters counters) {
        this.eventLoop = eventLoop;
        this.connector = spi.connector();
        this.leases = spi.leases();
        this.settings = settings;
        this.leaseCount = leaseCount;
        this.counters = counters;
    }

    /** Receives the end of a closing. {@code leaseReleased} is false if the lease could not be released. */
    @FunctionalInterface
    public interface Done {
        void accept(boolean leaseReleased);
    }

    /** Connections and leases that are not gone yet. */
    public int pending() {
        return inFlight + queue.size() + releasing;
    }

    /** The kind of connection before its discard. It decides which count the place belongs to. */
    public enum Kind {
        COUNTED,
        OVERFLOW,
        LATE
    }

    /** Connections of this kind that are being closed and still occupy their places. */
    public int openStill(Kind kind) {
        long now = eventLoop.nanos();
        Closing<T> first;
        while ((first = placed.peek()) != null && (!first.hasPlace || now - first.discardedNanos >= PLACE_KEPT_NANOS)) {
            placed.remove();
            givePlaceUp(first);
        }
        return places[kind.ordinal()];
    }

    private void givePlaceUp(Closing<T> closing) {
        if (closing.hasPlace) {
            closing.hasPlace = false;
            places[closing.kind.ordinal()]--;
        }
    }

    public void close(T connection, @Nullable Lease lease, Kind kind, DiscardReason reason, Done done) {
        Closing<T> closing = new Closing<>(connection, lease, kind, reason, done, eventLoop.nanos());
        placed.add(closing);
        places[kind.ordinal()]++;
        // From here on it will be closed, whatever fails.
        queue.add(closing);
        if (lease != null) {
            leaseCount.leaves();
        }
        startNext();
    }

    /** Releases a lease that never held a connection. */
    void release(@Nullable Lease lease, Done done) {
        if (lease != null) {
            leaseCount.leaves();
        }
        giveBack(lease, done);
    }

    private void giveBack(@Nullable Lease lease, Done done) {
        if (lease == null || leases == null) {
            done.accept(true);
            return;
        }
        releasing++;
        tryRelease(leases, lease, 1, done);
    }

    /** Begins steps that an error kept from beginning. Each scan calls this. */
    public void retry() {
        for (int n = owedReleases.size(); n > 0; n--) {
            owedReleases.remove().run();
        }
        startNext();
    }

    private void startNext() {
        while (inFlight < settings.get().closesInFlightMax() && !queue.isEmpty()) {
            Closing<T> next = queue.remove();
            inFlight++;
            try {
                begin(next);
            } catch (RuntimeException | Error e) {
                inFlight--;
                queue.addFirst(next);
                return;
            }
        }
    }

    private void begin(Closing<T> next) {
        Once once = new Once(() -> closed(next));
        Time.Timer timer = eventLoop.schedule(settings.get().closeTimeoutNanos(), () -> {
            if (once.run()) {
                eventLoop.log(() ->
                        log.warn("Reservoir: close takes too long, not waited for  reason={}", next.reason.label()));
            }
        });
        Runnable closes = () -> SpiCalls.call(() -> connector.close(next.connection, next.reason), (nothing, error) -> {
            eventLoop.post(() -> {
                if (error != null) {
                    eventLoop.log(() -> log.debug(
                            "Reservoir: close failed  reason={} error=\"{}\"", next.reason.label(), error.toString()));
                }
                once.run();
            });
            // This comes last: if the answer cannot be posted, the timeout ends the close.
            timer.cancel();
        });
        try {
            eventLoop.later(closes);
        } catch (RuntimeException | Error e) {
            // The close begins again later, with its own timer.
            timer.cancel();
            once.forget();
            throw e;
        }
    }

    private void closed(Closing<T> closing) {
        inFlight--;
        givePlaceUp(closing);
        counters.addClosed();
        giveBack(closing.lease, closing.done);
        startNext();
    }

    /** An error here, such as a timer that is not available, does not lose a lease: the next scan tries again. */
    private void tryRelease(Leases from, Lease lease, int attempt, Done done) {
        Once once = new Once(() -> {});
        try {
            beginRelease(from, lease, attempt, done, once);
        } catch (RuntimeException | Error e) {
            if (once.run()) {
                owedReleases.add(() -> tryRelease(from, lease, attempt, done));
            }
        }
    }

    private void beginRelease(Leases from, Lease lease, int attempt, Done done, Once once) {
        long timeout = settings.get().leaseTimeoutNanos();
        Time.Timer timer = eventLoop.schedule(timeout, () -> {
            if (once.run()) {
                String silent = "no answer within " + Text.nanos(timeout);
                releaseFailed(from, lease, attempt, done, new IllegalStateException(silent));
            }
        });
        eventLoop.later(() -> SpiCalls.call(() -> from.release(lease), (nothing, error) -> {
            eventLoop.post(() -> {
                if (!once.run()) {
                    return;
                }
                if (error == null) {
                    releasing--;
                    done.accept(true);
                } else {
                    releaseFailed(from, lease, attempt, done, error);
                }
            });
            // This comes last, for the same reason as above.
            timer.cancel();
        }));
    }

    private void releaseFailed(Leases from, Lease lease, int attempt, Done done, Throwable error) {
        if (attempt >= settings.get().leaseReleaseAttempts()) {
            releasing--;
            counters.addLeaseReleaseFailure();
            eventLoop.log(() -> log.error(
                    "Reservoir: lease release failed, given up  lease={} attempt={} error=\"{}\"",
                    lease.id(),
                    attempt,
                    error.toString()));
            done.accept(false);
            return;
        }
        Settings now = settings.get();
        Runnable again = () -> tryRelease(from, lease, attempt + 1, done);
        try {
            eventLoop.schedule(DoublingPause.nanos(attempt - 1, now.backoffBaseNanos(), now.backoffMaxNanos()), again);
        } catch (RuntimeException | Error e) {
            owedReleases.add(again);
        }
    }

    private static final class Closing<T> {
        private final T connection;
        private final @Nullable Lease lease;
        private final Kind kind;
        private final DiscardReason reason;
        private final Done done;
        private final long discardedNanos;
        private boolean hasPlace = true;

        Closing(T connection, @Nullable Lease lease, Kind kind, DiscardReason reason, Done done, long discardedNanos) {
            this.connection = connection;
            this.lease = lease;
            this.kind = kind;
            this.reason = reason;
            this.done = done;
            this.discardedNanos = discardedNanos;
        }
    }

    /** Runs its task on the first call only. Guarded by the keeper's lock. */
    private static final class Once {
        private @Nullable Runnable task;

        Once(Runnable task) {
            this.task = task;
        }

        void forget() {
            task = null;
        }

        boolean run() {
            Runnable mine = task;
            task = null;
            if (mine != null) {
                mine.run();
            }
            return mine != null;
        }
    }
}
