package dev.reservoir.jdbc.faults;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Reads a number every other millisecond on its own thread, and remembers the smallest and the largest. */
public final class Sampler implements AutoCloseable {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Thread thread;
    private volatile boolean stopped;
    private volatile int smallest = Integer.MAX_VALUE;
    private volatile int largest = Integer.MIN_VALUE;
    private volatile int samples;

    private Sampler(Callable<Integer> source) {
        thread = new Thread(() -> run(source), "sampler");
        thread.setDaemon(true);
    }

    static Sampler of(Callable<Integer> source) {
        Sampler sampler = new Sampler(source);
        sampler.thread.start();
        return sampler;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // Only one thread writes.
    private void run(Callable<Integer> source) {
        while (!stopped) {
            try {
                int value = source.call();
                smallest = Math.min(smallest, value);
                largest = Math.max(largest, value);
                samples++;
            } catch (Exception e) {
                throw new IllegalStateException("the sampler cannot read its number", e);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    int smallest() {
        return smallest;
    }

    int largest() {
        return largest;
    }

    /** Returns the number of reads, so that a test can check that there were any. */
    int samples() {
        return samples;
    }

    /** Stops reading. */
    void stop() {
        stopped = true;
        Load.awaitEnd(thread);
    }

    @Override
    public void close() {
        stop();
    }
}
