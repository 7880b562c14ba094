package dev.reservoir.core.internal;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What has happened so far. The adders are written from any thread, the rest under the keeper's lock. */
public final class Counters {
    public final LongAdder empties = new LongAdder();
    public final LongAdder timeouts = new LongAdder();
    public final LongAdder servedWaits = new LongAdder();
    /** A sample of the checkouts that found a connection ready. */
    public final Histogram readyTime = new Histogram();

    public final Histogram waitTime = new Histogram();
    public final Histogram useTime = new Histogram();

    final Histogram openTime = new Histogram();
    long opened;
    long closed;
    long usesOfRetired;
    long leaseReleaseFailures;
    final Map<DiscardReason, Long> discards = new EnumMap<>(DiscardReason.class);
    final Map<OpenFailureReason, Long> openFailures = new EnumMap<>(OpenFailureReason.class);
}
