package dev.reservoir.jdbc.pool;

import dev.reservoir.core.Reservoir;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.BackgroundThreads;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.core.util.WorkerThreads;
import dev.reservoir.core.util.WorkerThreads.Kind;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDriver;
import dev.reservoir.jdbc.config.DataSourceThreads;
import dev.reservoir.jdbc.wrap.PhysicalConnection;
import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks how long callers use connections. Reports uses that last longer than a threshold, and takes connections from
 * callers that seem to have forgotten them. Scans all connections in use at intervals, so a checkout starts no timer.
 *
 * <p>The timer thread only compares times. Other threads log and take the lock of the engine.
 */
final class InUseWatch {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    /**
     * Sets the scan interval to a tenth of the limit, within the two bounds below. So a use is noticed about a tenth of
     * the limit late at most.
     */
    private static final int LOOKS_PER_LIMIT = 10;

    private static final long LOOK_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LOOK_MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Reservoir<?> reservoir;
    private final long thresholdNanos;
    private final long abandonedNanos;
    private final Predicate<PhysicalConnection> isOpen;
    private final Time time;
    private final long lookNanos;
    private final EventDispatcher lines;
    private final BackgroundThreads reclaimingThread;
    private final AtomicBoolean reclaims = new AtomicBoolean();
    private final Map<PhysicalConnection, Use> uses = new ConcurrentHashMap<>();
    private volatile boolean ended;
    private volatile Time.Timer timer;

    /**
     * Starts to scan.
     *
     * @param thresholdNanos after which a use is reported, 0 for never
     * @param abandonedNanos after which a connection is taken from its caller, 0 for never
     * @param isOpen false for connections that were closed, even while a caller had them
     * @param lines logs the lines
     */
    InUseWatch(
            Reservoir<?> reservoir,
            long thresholdNanos,
            long abandonedNanos,
            Predicate<PhysicalConnection> isOpen,
            Time time,
            EventDispatcher lines,
            DataSourceThreads threads) {
        this.reservoir = reservoir;
        this.thresholdNanos = thresholdNanos;
        this.abandonedNanos = abandonedNanos;
        this.isOpen = isOpen;
        this.time = time;
        String threadName = "reservoir-" + reservoir.name();
        this.lines = lines;
        reclaimingThread = new BackgroundThreads(
                threadName + "-reclaim", 1, 1, WorkerThreads.of(Kind.WORKER, threadName, threads.named(threadName)));
        long shorter = thresholdNanos == 0 || abandonedNanos == 0
                ? thresholdNanos + abandonedNanos
                : Math.min(thresholdNanos, abandonedNanos);
        lookNanos = Math.min(LOOK_MAX_NANOS, Math.max(LOOK_MIN_NANOS, shorter / LOOKS_PER_LIMIT));
        timer = time.schedule(lookNanos, this::look);
    }

    /**
     * Notes that a caller on this thread got this connection. Not called for a pool on top, which holds connections for
     * their whole lifetime. Its connections are neither reported nor taken.
     */
    void began(WrappedConnection connection) {
        uses.put(connection.physical, new Use(connection, time.nanos()));
    }

    /** Notes that the caller releases the connection. */
    void ended(PhysicalConnection connection) {
        Use use = uses.remove(connection);
        if (use != null && use.reported) {
            long heldNanos = time.nanos() - use.begunNanos;
            lines.run(() -> log.info(
                    "Reservoir: a connection came back that was reported as in use for too long  in_use={} thread=\"{}\""
                            + " reservoir={}",
                    DurationText.formatMillis(heldNanos),
                    use.thread,
                    reservoir.name()));
        }
    }

    private void look() {
        try {
            long now = time.nanos();
            boolean isAnyAbandoned = false;
            // A connection that was closed while a caller had it may never be released.
            uses.keySet().removeIf(connection -> !isOpen.test(connection));
            for (Use use : uses.values()) {
                long heldNanos = now - use.begunNanos;
                if (abandonedNanos > 0 && heldNanos >= abandonedNanos) {
                    isAnyAbandoned = true;
                } else if (thresholdNanos > 0 && heldNanos >= thresholdNanos && !use.reported) {
                    use.reported = lines.run(() -> report(use, heldNanos));
                }
            }
            if (isAnyAbandoned && reclaims.compareAndSet(false, true)) {
                beginToReclaim();
            }
        } finally {
            if (!ended) {
                timer = time.schedule(lookNanos, this::look);
            }
        }
    }

    /** If there is no thread, the next scan tries again. */
    private void beginToReclaim() {
        try {
            reclaimingThread.execute(this::reclaim);
        } catch (RuntimeException | Error refused) {
            reclaims.set(false);
        }
    }

    private void report(Use use, long heldNanos) {
        log.warn(
                "Reservoir: a connection is in use for too long, maybe it was never closed  in_use={} threshold={}"
                        + " thread=\"{}\" reservoir={}",
                DurationText.formatMillis(heldNanos),
                DurationText.format(thresholdNanos),
                use.thread,
                reservoir.name(),
                acquired(use.stack.getStackTrace()));
    }

    private void reclaim() {
        try {
            long now = time.nanos();
            uses.values().removeIf(use -> {
                long heldNanos = now - use.begunNanos;
                boolean isTaken = heldNanos >= abandonedNanos && use.connection.reclaim();
                if (isTaken) {
                    lines.run(() -> taken(use, heldNanos));
                }
                return isTaken;
            });
        } finally {
            reclaims.set(false);
        }
    }

    private void taken(Use use, long heldNanos) {
        log.warn(
                "Reservoir: a connection was taken from its caller and closed, since it was in use for too long "
                        + " in_use={} abandoned_timeout={} thread=\"{}\" reservoir={}",
                DurationText.formatMillis(heldNanos),
                DurationText.format(abandonedNanos),
                use.thread,
                reservoir.name(),
                acquired(use.stack.getStackTrace()));
    }

    /** Makes a stack for the log that begins with the code of the caller. */
    private static Throwable acquired(StackTraceElement[] stack) {
        int first = 0;
        while (first < stack.length && isOurs(stack[first].getClassName())) {
            first++;
        }
        Throwable here = new Throwable("the connection was acquired here");
        here.setStackTrace(Arrays.copyOfRange(stack, first == stack.length ? 0 : first, stack.length));
        return here;
    }

    private static boolean isOurs(String className) {
        return className.startsWith("dev.reservoir.core.")
                || className.equals(ReservoirDataSource.class.getName())
                || className.equals(ReservoirDriver.class.getName())
                || className.equals(CheckoutPath.class.getName())
                || className.equals(CheckoutValidation.class.getName())
                || className.equals(InUseWatch.class.getName())
                || className.equals(Use.class.getName());
    }

    /** Stops scanning. */
    void end() {
        ended = true;
        timer.cancel();
        reclaimingThread.close();
    }

    /** One use of a connection, from checkout to release. */
    private static final class Use {
        final WrappedConnection connection;
        final long begunNanos;
        final String thread;
        final Throwable stack = new Throwable();
        volatile boolean reported;

        Use(WrappedConnection connection, long begunNanos) {
            this.connection = connection;
            this.begunNanos = begunNanos;
            Thread current = Thread.currentThread();
            thread = current.getName().isEmpty() ? "thread " + current.getId() : current.getName();
        }
    }
}
