package dev.reservoir.core.internal.stats;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.util.Histogram;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts events. Any thread may write the adders and the histograms. The other fields are written under the keeper's
 * lock.
 */
public final class EngineCounters {
    public final LongAdder empties = new LongAdder();
    public final LongAdder timeouts = new LongAdder();
    public final LongAdder servedWaits = new LongAdder();
    /** A sample of the checkouts that found a ready connection. */
    public final Histogram readyTime = new Histogram();

    public final Histogram waitTime = new Histogram();
    public final Histogram useTime = new Histogram();

    public final Histogram openTime = new Histogram();
    public long opened;
    public long closed;
    public long usesOfRetired;
    public long leaseReleaseFailures;
    public final Map<DiscardReason, Long> discards = new EnumMap<>(DiscardReason.class);
    public final Map<OpenFailureReason, Long> openFailures = new EnumMap<>(OpenFailureReason.class);
}
