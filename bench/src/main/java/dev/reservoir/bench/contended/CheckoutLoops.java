package dev.reservoir.bench.contended;

import com.sun.management.OperatingSystemMXBean;
import dev.reservoir.bench.report.LatencyHistogram;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Threads that acquire, hold and release in a loop. They spin during a hold of up to 20 us, as work on a result does.
 * They park during a longer hold, as a wait for a database does.
 *
 * @param pool the data source that the threads share
 * @param threads the number of threads
 * @param virtual whether they are virtual threads
 * @param holdNanos the time from the acquire to the release
 */
record CheckoutLoops(DataSource pool, int threads, boolean virtual, long holdNanos) {

    /** Longest hold that spins. A parked thread resumes about 50 us late, so parking cannot give a shorter hold. */
    private static final long BUSY_NANOS_MAX = 20_000;

    /**
     * Without a hold, each thread times one of this many checkouts, because reading the clock twice takes as long as a
     * checkout. The number is a prime, so that it does not coincide with what a pool does at every 64th checkout.
     */
    private static final int TIMED_EVERY_WITHOUT_HOLD = 61;

    private static final int END_SECONDS_MAX = 60;

    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    /**
     * The result of all threads.
     *
     * @param shares how often each thread was served
     * @param waits the timed waits, including those that had not ended
     * @param tookNanos the measured time
     * @param processorNanos the processor time that the JVM took meanwhile
     */
    record Outcome(List<Long> shares, LatencyHistogram waits, long tookNanos, long processorNanos) {

        double perSecond() {
            return served() * 1e9 / tookNanos;
        }

        double perProcessorSecond() {
            return served() * 1e9 / processorNanos;
        }

        double smallestShare() {
            return shares.stream().mapToLong(n -> n).min().orElse(0) * shares.size() / served();
        }

        double largestShare() {
            return shares.stream().mapToLong(n -> n).max().orElse(0) * shares.size() / served();
        }

        long neverServed() {
            return shares.stream().filter(n -> n == 0).count();
        }

        private double served() {
            return shares.stream().mapToLong(n -> n).sum();
        }
    }

    /** Runs all threads for this many seconds. Blocks until they have ended. */
    Outcome run(int seconds) throws InterruptedException {
        CountDownLatch start = new CountDownLatch(1);
        LatencyHistogram waits = new LatencyHistogram();
        List<CheckoutLoop> loops = IntStream.range(0, threads)
                .mapToObj(i -> new CheckoutLoop(start, waits))
                .toList();
        ExecutorService executor = virtual ? VirtualThreads.newExecutor() : Executors.newFixedThreadPool(threads);
        loops.forEach(executor::execute);
        long beganNanos = System.nanoTime();
        long processorNanos = PROCESS.getProcessCpuTime();
        start.countDown();
        TimeUnit.SECONDS.sleep(seconds);
        loops.forEach(CheckoutLoop::stop);
        processorNanos = PROCESS.getProcessCpuTime() - processorNanos;
        long tookNanos = System.nanoTime() - beganNanos;
        executor.shutdown();
        if (!executor.awaitTermination(END_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the threads did not end within " + END_SECONDS_MAX + " s");
        }
        return new Outcome(loops.stream().map(loop -> loop.served).toList(), waits, tookNanos, processorNanos);
    }

    /** One thread. Ends when it is stopped, or when a checkout fails. */
    private final class CheckoutLoop implements Runnable {

        private final CountDownLatch start;
        private final LatencyHistogram waits;
        private final int timedEvery = holdNanos == 0 ? TIMED_EVERY_WITHOUT_HOLD : 1;
        private volatile boolean stopped;

        /** When the timed checkout under way began, or 0. */
        private volatile long waitingSinceNanos;

        /** How often this thread was served. Set when the thread ends, because a shared count would slow it down. */
        private long served;

        CheckoutLoop(CountDownLatch start, LatencyHistogram waits) {
            this.start = start;
            this.waits = waits;
        }

        @Override
        public void run() {
            long times = 0;
            int untimed = 0;
            try {
                start.await();
                while (!stopped) {
                    boolean timed = ++untimed == timedEvery;
                    untimed = timed ? 0 : untimed;
                    times += serve(timed) ? 1 : 0;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (SQLException e) {
                // The checkout timed out after half a minute. The thread counts with its checkouts so far.
                stopped = true;
            } finally {
                served = times;
            }
        }

        /** Returns false if the loop was stopped while this thread waited. */
        private boolean serve(boolean timed) throws SQLException {
            long askedNanos = 0;
            if (timed) {
                askedNanos = System.nanoTime();
                waitingSinceNanos = askedNanos;
            }
            try (Connection connection = pool.getConnection()) {
                if (stopped) {
                    return false;
                }
                if (timed) {
                    waits.record(System.nanoTime() - askedNanos);
                    waitingSinceNanos = 0;
                }
                hold(connection);
                return true;
            }
        }

        private void hold(Connection connection) {
            if (holdNanos > BUSY_NANOS_MAX) {
                LockSupport.parkNanos(connection, holdNanos);
            } else if (holdNanos > 0) {
                long endNanos = System.nanoTime() + holdNanos;
                while (System.nanoTime() < endNanos) {
                    Thread.onSpinWait();
                }
            }
        }

        /** Ends the loop, and records a wait that is not over yet. */
        void stop() {
            stopped = true;
            long sinceNanos = waitingSinceNanos;
            if (sinceNanos != 0) {
                waits.record(System.nanoTime() - sinceNanos);
            }
        }
    }
}
