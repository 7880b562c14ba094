package dev.reservoir.core.internal;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Time;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Helps callers who wait while no connection comes back: those in use may have lost their server. It says when one more
 * connection is to be opened beside them, and has that one ask the server which of those in use it no longer serves. They are
 * closed under their callers, whose calls end with an error instead of hanging. A statement that takes long, or waits for a lock, is
 * served and stays. All state is guarded by the keeper's lock.
 *
 * <p>A connection that comes back is handed to a waiter. So the number of checkouts shows whether any did.
 *
 * @param <T> the connection
 */
final class Rescue<T> {
    /** Longer than most statements take, and short enough for callers to be served again within their timeout. */
    private static final long PATIENCE_NANOS = 2_000_000_000L;

    /** Counting checkouts looks at every connection, so it is not done more often than this. */
    private static final long LOOK_NANOS = 250_000_000L;

    /** A caller that has had its connection for less is not asked after. */
    private static final long SURELY_IN_USE_NANOS = 1_000_000_000L;

    private final Control control;
    private final Time time;
    private final CurrentSettings settings;
    private final Connector<T> connector;
    private final Population<T> population;
    private final Proofs<T> proofs;
    private final Retirements<T> retirements;

    private long checkoutsSeen = -1;
    private long sinceNanos;
    private long nextLookNanos = Long.MIN_VALUE;

    /** Connections that were opened beside all others, and may stay there as long as somebody waits. */
    private int extra;

    Rescue(
            Control control,
            Time time,
            CurrentSettings settings,
            Connector<T> connector,
            Population<T> population,
            Proofs<T> proofs,
            Retirements<T> retirements) {
        this.control = control;
        this.time = time;
        this.settings = settings;
        this.connector = connector;
        this.population = population;
        this.proofs = proofs;
        this.retirements = retirements;
    }

    /** Whether somebody waits and nobody has been served for {@link #PATIENCE_NANOS}. */
    boolean isWanted(long nowNanos, int waiting, Counters counters) {
        if (waiting == 0) {
            reset();
            extra = 0;
        }
        if (waiting == 0 || nowNanos < nextLookNanos) {
            return false;
        }
        nextLookNanos = nowNanos + LOOK_NANOS;
        long checkouts = population.checkouts(counters);
        if (checkouts != checkoutsSeen) {
            checkoutsSeen = checkouts;
            sinceNanos = nowNanos;
        }
        return nowNanos - sinceNanos >= PATIENCE_NANOS;
    }

    /** Help is under way: the time begins anew. */
    void reset() {
        checkoutsSeen = -1;
        nextLookNanos = Long.MIN_VALUE;
    }

    /** When to look again while somebody waits. */
    long nextLookNanos() {
        return nextLookNanos;
    }

    /** How many of so many that are too many are to retire now. */
    int retiring(int tooMany) {
        return Math.max(0, tooMany - extra);
    }

    /** Asks the server, with a connection that was opened for that, which of those in use it no longer serves. */
    void ask(Entry<T> fresh) {
        extra++;
        long now = time.nanos();
        List<Use<T>> uses = population.everyone().stream()
                .filter(entry -> entry.onLoan && now - entry.lentNanos >= SURELY_IN_USE_NANOS)
                .map(entry -> new Use<>(entry, entry.uses))
                .collect(Collectors.toList());
        List<T> connections = uses.stream().map(use -> use.entry.connection()).collect(Collectors.toUnmodifiableList());
        long timeout = settings.get().proveTimeoutNanos();
        proofs.prove(
                fresh,
                () -> connector
                        .findUnresponsive(fresh.connection(), connections, timeout)
                        .thenApply(unresponsive -> {
                            control.post(() -> uses.forEach(use -> use.end(unresponsive, retirements)));
                            return true;
                        }));
    }

    /** One use of a connection, from its checkout to its release. */
    private record Use<T>(Entry<T> entry, long number) {

        void end(List<T> unresponsive, Retirements<T> retirements) {
            boolean lasts = entry.onLoan && entry.uses == number;
            if (lasts && unresponsive.stream().anyMatch(connection -> connection == entry.connection())) {
                retirements.retireInUse(entry, DiscardReason.UNRESPONSIVE);
            }
        }
    }
}
