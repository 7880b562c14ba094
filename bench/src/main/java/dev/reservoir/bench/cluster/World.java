package dev.reservoir.bench.cluster;

import dev.reservoir.bench.Polling;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;

/** The environment of a fleet: its time and its table. */
interface World extends AutoCloseable {

    /** A short name for tables. */
    String title();

    Time time(String process);

    /** The store of a process. Its answers arrive on the time of the process. */
    Store store(Time time);

    /** The wall clock of every process. */
    InstantSource wallClock();

    long nanos();

    /** Lets this much time pass. Blocks in real time. */
    void pass(Duration duration) throws InterruptedException;

    /** Waits for a condition. Returns the time since {@code sinceNanos}; infinite if the limit passes first. */
    default double nanosUntil(
            long sinceNanos, Duration limit, Duration interval, Polling.Condition<RuntimeException> condition)
            throws InterruptedException {
        while (!condition.holds()) {
            if (nanos() - sinceNanos > limit.toNanos()) {
                return Double.POSITIVE_INFINITY;
            }
            pass(interval);
        }
        return nanos() - sinceNanos;
    }

    default double nanosUntil(long sinceNanos, Duration limit, Polling.Condition<RuntimeException> condition)
            throws InterruptedException {
        return nanosUntil(sinceNanos, limit, Duration.ofMillis(2), condition);
    }

    @Override
    void close() throws IOException;
}
