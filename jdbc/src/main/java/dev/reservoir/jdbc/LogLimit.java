package dev.reservoir.jdbc;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Lets one line through in a while, and counts those that it holds back meanwhile. */
final class LogLimit {
    static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanos;
    private final AtomicLong nextNanos;
    private final AtomicLong heldBack = new AtomicLong();

    LogLimit(LongSupplier nanos) {
        this.nanos = nanos;
        nextNanos = new AtomicLong(nanos.getAsLong());
    }

    /** Whether a line may be written now. */
    boolean allows() {
        long now = nanos.getAsLong();
        long next = nextNanos.get();
        if (now - next >= 0 && nextNanos.compareAndSet(next, now + PAUSE_NANOS)) {
            return true;
        }
        heldBack.incrementAndGet();
        return false;
    }

    /** How many were held back since this was last asked. */
    long heldBack() {
        return heldBack.getAndSet(0);
    }
}
