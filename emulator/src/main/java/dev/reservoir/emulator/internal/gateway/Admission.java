package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.Limits;
import dev.reservoir.pgwire.PgError;
import java.time.Instant;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Counts the open connections and decides about new ones. A bucket gains {@code ratePerSecond} tokens, holds
 * {@code burst} and is full at first. At most {@code maxOpen} connections are open at once. A refused connect takes
 * nothing from the bucket. Never blocks, except for a short lock.
 */
final class Admission {
    private static final double NANOS = 1e9;
    private static final int SLOTS = 10;
    private static final long SLOT_NANOS = 1_000_000_000L / SLOTS;

    // This object's lock guards all fields.
    private double tokens = Double.NaN;
    private long filledAt;
    private int open;
    private int highestOpen;
    private long accepted;
    private long refusedByRate;
    private long refusedByCount;
    private final int[] slots = new int[SLOTS];
    private long slotAt;

    /** Admits a connection and returns null, or returns the reason to refuse it. */
    synchronized @Nullable PgError enter(Limits limits, Instant now) {
        long nanos = nanos(now);
        refill(limits, nanos);
        if (open >= limits.maxOpen()) {
            refusedByCount++;
            return PgError.fatal("53300", "Unable to accept connection, too many open connections.");
        }
        if (tokens < 1) {
            refusedByRate++;
            return PgError.fatal("53400", "Unable to accept connection, rate exceeded.");
        }
        tokens--;
        open++;
        highestOpen = Math.max(highestOpen, open);
        turn(nanos);
        slots[(int) (slotAt % SLOTS)]++;
        return null;
    }

    private void refill(Limits limits, long now) {
        if (Double.isNaN(tokens)) {
            tokens = limits.burst();
        } else {
            double gained = Math.max(0, now - filledAt) / NANOS * limits.ratePerSecond();
            tokens = Math.min(limits.burst(), tokens + gained);
        }
        filledAt = now;
    }

    /** Clears the tenths of a second that have passed since the last call. */
    private void turn(long now) {
        long slot = now / SLOT_NANOS;
        long passed = Math.min(SLOTS, Math.abs(slot - slotAt));
        for (long i = 1; i <= passed; i++) {
            slots[(int) ((slot - passed + i) % SLOTS)] = 0;
        }
        slotAt = slot;
    }

    synchronized void accepted() {
        accepted++;
    }

    synchronized void leave() {
        open--;
    }

    /** The counts, taken at one instant. */
    synchronized Numbers numbers(Instant now) {
        turn(nanos(now));
        int lastSecond = IntStream.of(slots).sum();
        return new Numbers(accepted, refusedByRate, refusedByCount, open, highestOpen, lastSecond);
    }

    private static long nanos(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
    }

    record Numbers(
            long accepted,
            long refusedByRate,
            long refusedByCount,
            int open,
            int highestOpen,
            int connectsLastSecond) {}
}
