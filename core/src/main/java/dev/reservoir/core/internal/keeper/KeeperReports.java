package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.Counts;
import dev.reservoir.core.Stats;
import dev.reservoir.core.Targets;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.opening.Closings;
import dev.reservoir.core.internal.opening.ConnectFailures.Failure;
import dev.reservoir.core.internal.opening.Openings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads consistent reports from the parts of a keeper. Changes nothing. Each method takes the keeper's lock for a
 * moment.
 *
 * @param <T> the connection
 */
public final class KeeperReports<T> {
    private final KeeperParts<T> parts;

    KeeperReports(KeeperParts<T> parts) {
        this.parts = parts;
    }

    /** How many connections the keeper is asked to hold. */
    public Targets targets() {
        return parts.eventLoop.inspect(() -> parts.state.targets);
    }

    /** The number of connections in each state. */
    public Counts counts() {
        return parts.eventLoop.inspect(this::countsUnderLock);
    }

    /** The counts, with totals and histories. */
    public Stats stats() {
        return parts.eventLoop.inspect(() -> parts.counters.stats(
                countsUnderLock(), parts.openConnections.checkouts(parts.counters), parts.failures.last() != null));
    }

    /** All open connections, including temporary ones. */
    public List<Entry<T>> everyone() {
        return parts.eventLoop.inspect(parts.openConnections::everyone);
    }

    /** The numbers that explain why a caller gets no connection. */
    public Shortage<T> shortage() {
        return parts.eventLoop.inspect(() -> {
            var backoff = parts.failures.backoff();
            Failure last = parts.failures.last();
            return new Shortage<>(
                    countsUnderLock(),
                    last,
                    last == null ? 0 : backoff.inARow(last.reason()),
                    backoff.untilNanos(parts.waiters.waiting() > 0),
                    parts.openConnections.everyone());
        });
    }

    /**
     * The state of a reservoir that has no connection for a caller.
     *
     * @param lastFailure the last connect that failed, or null if the reservoir has recovered since
     * @param failuresInARow how many connects in a row failed for the reason of {@code lastFailure}
     * @param pauseUntilNanos no connect begins before this
     * @param everyone all open connections, including temporary ones
     * @param <T> the connection
     */
    public record Shortage<T>(
            Counts counts,
            @Nullable Failure lastFailure,
            int failuresInARow,
            long pauseUntilNanos,
            List<Entry<T>> everyone) {}

    private Counts countsUnderLock() {
        int size = parts.openConnections.size();
        int validating = Math.min(parts.validations.pending(), size);
        int ready = Math.min(parts.store.ready(), size - validating);
        Openings<T> openings = parts.openings;
        return new Counts(
                parts.state.targets,
                ready,
                size - ready - validating,
                validating,
                parts.openConnections.overflow(),
                openings.opening() + openings.openingOverflow(),
                openings.openingOverflow(),
                openings.count(Openings.Step.LEASE),
                openings.count(Openings.Step.PERMIT),
                parts.closings.pending(),
                parts.closings.openStill(Closings.Kind.COUNTED),
                parts.waiters.waiting(),
                parts.state.paused);
    }
}
