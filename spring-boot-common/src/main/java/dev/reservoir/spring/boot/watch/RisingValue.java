package dev.reservoir.spring.boot.watch;

import java.util.concurrent.atomic.LongAccumulator;

/**
 * Keeps the highest value so far of a number that only grows for those who read it. A sum that is extrapolated from a
 * sample can fall a little, and a monitoring system would take that for a restart. Any thread may call it.
 */
final class RisingValue {
    private final LongAccumulator highest = new LongAccumulator(Math::max, 0);

    /** Adds a value, and returns the highest so far. */
    long atLeast(long value) {
        highest.accumulate(value);
        return highest.get();
    }
}
