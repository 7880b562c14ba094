package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Durations;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Targets;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.opening.Closings;
import dev.reservoir.core.internal.opening.Openings;
import dev.reservoir.core.internal.stats.EngineCounters;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shows the state of a {@link Keeper} to reports. Valid only while it is read under the keeper's lock.
 *
 * @param <T> the connection
 */
public final class KeeperView<T> {
    private final Keeper<T> keeper;

    KeeperView(Keeper<T> keeper) {
        this.keeper = keeper;
    }

    public int size() {
        return keeper.openConnections.size();
    }

    public int ready() {
        return Math.min(keeper.store.ready(), keeper.openConnections.size() - validating());
    }

    public int validating() {
        return Math.min(keeper.validations.pending(), keeper.openConnections.size());
    }

    public int overflow() {
        return keeper.openConnections.overflow();
    }

    public int opening() {
        return keeper.openings.opening() + keeper.openings.openingOverflow();
    }

    public int openingOverflow() {
        return keeper.openings.openingOverflow();
    }

    public int waitingForLease() {
        return keeper.openings.count(Openings.Step.LEASE);
    }

    public int waitingForPermit() {
        return keeper.openings.count(Openings.Step.PERMIT);
    }

    public int closing() {
        return keeper.closings.pending();
    }

    /**
     * Connections being closed that still occupy their places, without temporary connections and those that arrived
     * late.
     */
    public int openStill() {
        return keeper.closings.openStill(Closings.Kind.COUNTED);
    }

    public Targets targets() {
        return keeper.targets;
    }

    public boolean paused() {
        return keeper.paused;
    }

    public long backoffUntilNanos() {
        return keeper.backoff.untilNanos(keeper.waiters().waiting() > 0);
    }

    public Keeper.@Nullable Failure lastFailure() {
        return keeper.lastFailure;
    }

    /** How many connects in a row failed for this reason. */
    public int failuresInARow(OpenFailureReason reason) {
        return keeper.backoff.inARow(reason);
    }

    public EngineCounters counters() {
        return keeper.counters;
    }

    /** All checkouts so far, including those under way. */
    public long checkouts() {
        return keeper.openConnections.checkouts(keeper.counters);
    }

    public long opened() {
        return keeper.counters.opened;
    }

    public long closed() {
        return keeper.counters.closed;
    }

    public Map<DiscardReason, Long> discards() {
        return keeper.counters.discards;
    }

    public Map<OpenFailureReason, Long> openFailures() {
        return keeper.counters.openFailures;
    }

    public long leaseReleaseFailures() {
        return keeper.counters.leaseReleaseFailures;
    }

    public Durations openTime() {
        return keeper.counters.openTime.snapshot();
    }

    public List<Entry<T>> everyone() {
        return keeper.openConnections.everyone();
    }
}
