package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/** The environment of a fleet: its time and its table. */
interface World extends AutoCloseable {

    /** A short name for tables. */
    String title();

    /** The time of a process. */
    Time time(String process);

    /** The store of a process. Its answers arrive on the time of the process. */
    Store store(Time time);

    /** The wall clock of every process. */
    InstantSource wallClock();

    /** The current time of the measuring thread. */
    long nanos();

    /** Lets this much time pass. Blocks in real time. */
    void pass(Duration duration) throws InterruptedException;

    /** Waits for a condition. Returns the time since {@code sinceNanos}; infinite if the limit passes first. */
    default double nanosUntil(BooleanSupplier condition, long sinceNanos, Duration limit) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            if (nanos() - sinceNanos > limit.toNanos()) {
                return Double.POSITIVE_INFINITY;
            }
            pass(Duration.ofMillis(2));
        }
        return nanos() - sinceNanos;
    }

    @Override
    void close();
}
