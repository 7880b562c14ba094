package dev.reservoir.jdbc.log;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Allows one line every 10 seconds, and counts the lines that it suppresses meanwhile. Never blocks. */
public final class LogLimit {
    public static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanos;
    private final AtomicLong nextNanos;
    private final AtomicLong suppressed = new AtomicLong();

    public LogLimit(LongSupplier nanos) {
        this.nanos = nanos;
        nextNanos = new AtomicLong(nanos.getAsLong());
    }

    /** Whether a line may be written now. */
    public boolean allows() {
        long now = nanos.getAsLong();
        long next = nextNanos.get();
        if (now - next >= 0 && nextNanos.compareAndSet(next, now + PAUSE_NANOS)) {
            return true;
        }
        suppressed.incrementAndGet();
        return false;
    }

    /**
     * Returns the number of lines suppressed since the last call, as text to append to a line. Returns an empty string
     * if there were none.
     */
    public String suppressed() {
        long count = suppressed.getAndSet(0);
        return count == 0 ? "" : " suppressed_lines=" + count;
    }
}
