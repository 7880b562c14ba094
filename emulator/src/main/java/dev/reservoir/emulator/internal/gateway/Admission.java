package dev.reservoir.emulator.internal.gateway;

import dev.reservoir.emulator.Limits;
import dev.reservoir.emulator.internal.wire.Problem;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Counts who is in and rations who may come in: a bucket that gains {@code ratePerSecond} and holds {@code burst}, full at first, and
 * {@code maxOpen} places. Who is refused takes nothing from the bucket. Never blocks but for the short lock.
 */
final class Admission {
    private static final double NANOS = 1e9;
    private static final int SLOTS = 10;
    private static final long SLOT_NANOS = 1_000_000_000L / SLOTS;

    // All under this object's lock.
    private double tokens = Double.NaN;
    private long filledAt;
    private int open;
    private int highestOpen;
    private long accepted;
    private long refusedByRate;
    private long refusedByCount;
    private final int[] slots = new int[SLOTS];
    private long slotAt;

    /** Takes a place, or says why there is none. */
    synchronized @Nullable Problem enter(Limits limits, Instant now) {
        long nanos = nanos(now);
        refill(limits, nanos);
        if (open >= limits.maxOpen()) {
            refusedByCount++;
            return Problem.fatal("53300", "Unable to accept connection, too many open connections.");
        }
        if (tokens < 1) {
            refusedByRate++;
            return Problem.fatal("53400", "Unable to accept connection, rate exceeded.");
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

    /** Empties the slots of the last second that have passed since. */
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

    /** The numbers of one moment. */
    synchronized Numbers numbers(Instant now) {
        turn(nanos(now));
        int lastSecond = 0;
        for (int slot : slots) {
            lastSecond += slot;
        }
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
