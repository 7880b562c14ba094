package dev.reservoir.core.internal.stats;

import dev.reservoir.core.Counts;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Stats;
import dev.reservoir.core.util.Histogram;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what happens in one reservoir since its start. Never blocks. */
public final class EngineCounters {
    // Any thread writes these.
    private final LongAdder empties = new LongAdder();
    private final LongAdder timeouts = new LongAdder();
    private final LongAdder servedWaits = new LongAdder();
    private final Histogram readyTime = new Histogram();
    private final Histogram waitTime = new Histogram();
    private final Histogram useTime = new Histogram();

    // The keeper's lock guards these.
    private final Histogram openTime = new Histogram();
    private long opened;
    private long closed;
    private long usesOfRetired;
    private long leaseReleaseFailures;
    private final Map<DiscardReason, Long> discards = new EnumMap<>(DiscardReason.class);
    private final Map<OpenFailureReason, Long> openFailures = new EnumMap<>(OpenFailureReason.class);

    /** Counts a checkout that found no ready connection. */
    public void addEmpty() {
        empties.increment();
    }

    /** Counts a checkout that ended without a connection. */
    public void addTimeout() {
        timeouts.increment();
    }

    /** Counts the end of a wait for a connection. */
    public void addWait(long waitedNanos, boolean served) {
        waitTime.record(waitedNanos);
        if (served) {
            servedWaits.increment();
        }
    }

    /** Records how long a checkout took that found a ready connection. A sample of them is enough. */
    public void addReadyTime(long nanos) {
        readyTime.record(nanos);
    }

    /** Records how long a connection was in use. A sample of the uses is enough. */
    public void addUseTime(long nanos) {
        useTime.record(nanos);
    }

    // The keeper calls these, under its lock.

    public void addOpened() {
        opened++;
    }

    public void addOpenTime(long nanos) {
        openTime.record(nanos);
    }

    /** How many connections were opened, including those that arrived late. */
    public long opened() {
        return opened;
    }

    public void addOpenFailure(OpenFailureReason reason) {
        openFailures.merge(reason, 1L, Long::sum);
    }

    public void addDiscard(DiscardReason reason) {
        discards.merge(reason, 1L, Long::sum);
    }

    public void addClosed() {
        closed++;
    }

    public void addLeaseReleaseFailure() {
        leaseReleaseFailures++;
    }

    /** Adds the uses of a connection that has left the reservoir. */
    public void addUsesOfRetired(long uses) {
        usesOfRetired += uses;
    }

    /** How many uses the connections had that have left the reservoir. */
    public long usesOfRetired() {
        return usesOfRetired;
    }

    /**
     * The counts of this moment together with these totals. Needs the keeper's lock.
     *
     * @param checkouts all checkouts so far that got a connection
     * @param connectsFail whether the last connect failed and the reservoir has not recovered since
     */
    public Stats stats(Counts counts, long checkouts, boolean connectsFail) {
        return new Stats(
                counts,
                checkouts,
                empties.sum(),
                timeouts.sum(),
                opened,
                closed,
                Map.copyOf(discards),
                Map.copyOf(openFailures),
                connectsFail,
                leaseReleaseFailures,
                waitTime.snapshot(readyTime, Math.max(0, checkouts - servedWaits.sum())),
                waitTime.snapshot(),
                useTime.snapshot(),
                openTime.snapshot());
    }
}
