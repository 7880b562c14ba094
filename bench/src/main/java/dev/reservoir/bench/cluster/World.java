package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/** Where a fleet lives: its time, and its table. */
interface World extends AutoCloseable {

    /** In a few words, for tables. */
    String title();

    /** A process's own time. */
    Time time(String process);

    /** A process's way to the table; what is answered is delivered on its time. */
    Store store(Time time);

    /** The clock of every process. */
    InstantSource wallClock();

    /** The present, as the one who measures sees it. */
    long nanos();

    /** Lets so much time pass. */
    void pass(Duration duration) throws InterruptedException;

    /** How long it took from {@code sinceNanos} until the condition held; infinite if it did not within the limit. */
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
