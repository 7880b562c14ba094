package dev.reservoir.bench.dsql;

import dev.reservoir.bench.Daemons;
import dev.reservoir.bench.Polling;
import dev.reservoir.bench.report.LatencyHistogram;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests at a fixed rate, whether or not earlier ones have ended. A latency counts from the time when its
 * request was due, so that a stall shows in full. Runs on threads of its own until {@link #close}.
 */
final class Requests implements AutoCloseable {
    private static final int WAITING_MAX = 100_000;

    private final ThreadPoolExecutor workers;
    private final Request request;
    private final long everyNanos;
    private final Thread pacer;
    private volatile Phase phase = new Phase();
    private volatile boolean stopped;

    interface Request {
        void run(long number) throws Exception;
    }

    /** The outcome of the requests that were due during this phase. */
    static final class Phase {
        final LatencyHistogram latency = new LatencyHistogram();
        final LongAdder failed = new LongAdder();

        /** The failed requests that were due after {@link #markNanos}. */
        final LongAdder failedLater = new LongAdder();

        volatile long markNanos = Long.MAX_VALUE;
        volatile @Nullable Exception firstFailure;
        private final LongAdder due = new LongAdder();
        private final LongAdder done = new LongAdder();

        /**
         * Blocks until the requests of this phase have ended, for {@code seconds} at most. Returns the number that have
         * not ended.
         */
        long await(long seconds) throws InterruptedException {
            Polling.until(Duration.ofSeconds(seconds), () -> done.sum() >= due.sum());
            return due.sum() - done.sum();
        }
    }

    /** Starts at once, with at most {@code threads} requests at the same time. */
    Requests(double perSecond, int threads, Request request) {
        this.request = request;
        this.everyNanos = (long) (1e9 / perSecond);
        this.workers = new ThreadPoolExecutor(
                threads, threads, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(WAITING_MAX), task -> {
                    Thread thread = new Thread(task, "request");
                    thread.setDaemon(true);
                    return thread;
                });
        this.pacer = Daemons.start("pacer", this::pace);
    }

    /** Starts a new phase. Requests that are due from now on count in it. */
    Phase begin() {
        Phase next = new Phase();
        phase = next;
        return next;
    }

    private void pace() {
        long due = System.nanoTime();
        try {
            for (long number = 0; !stopped; number++) {
                due += everyNanos;
                long wait = due - System.nanoTime();
                if (wait > 0) {
                    TimeUnit.NANOSECONDS.sleep(wait);
                }
                Phase counted = phase;
                long dueNanos = due;
                long which = number;
                counted.due.increment();
                workers.execute(() -> serve(counted, which, dueNanos));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(Phase counted, long number, long dueNanos) {
        try {
            request.run(number);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            if (!stopped) {
                counted.failed.increment();
                if (dueNanos - counted.markNanos > 0 && counted.markNanos != Long.MAX_VALUE) {
                    counted.failedLater.increment();
                }
                if (counted.firstFailure == null) {
                    counted.firstFailure = e;
                }
            }
        } finally {
            counted.latency.record(System.nanoTime() - dueNanos);
            counted.done.increment();
        }
    }

    @Override
    public void close() {
        stopped = true;
        pacer.interrupt();
        workers.shutdownNow();
    }
}
