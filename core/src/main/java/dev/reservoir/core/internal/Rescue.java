package dev.reservoir.core.internal;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Time;
import java.util.List;

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

    /** How long the server may take to say which connections it serves. Asking twice with a pause takes part of it. */
    private static final long ANSWER_NANOS = 3_000_000_000L;

    private final Control control;
    private final Time time;
    private final Connector<T> connector;
    private final Population<T> population;
    private final Proofs<T> proofs;
    private final Retirements<T> retirements;

    private long checkoutsSeen = -1;
    private long sinceNanos;
    private long nextLookNanos = Long.MIN_VALUE;

    /** Connections that were opened beside all others, and may stay there as long as somebody waits. */
    private int extra;

    /** Whether the last question of these waits was not answered. */
    private boolean askedInVain;

    Rescue(
            Control control,
            Time time,
            Connector<T> connector,
            Population<T> population,
            Proofs<T> proofs,
            Retirements<T> retirements) {
        this.control = control;
        this.time = time;
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
            askedInVain = false;
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
        extra = Math.min(extra, tooMany);
        return tooMany - extra;
    }

    /**
     * Asks the server, with a connection that was opened for that, which of those in use it no longer serves.
     *
     * @return false if it was asked in vain before, while the same callers wait: then the connection simply serves one of them
     */
    boolean ask(Entry<T> fresh) {
        extra++;
        if (askedInVain) {
            return false;
        }
        long now = time.nanos();
        List<Use<T>> uses = population.everyone().stream()
                .map(Use::of)
                .filter(use -> use.lasts(now, SURELY_IN_USE_NANOS))
                .toList();
        List<T> connections = uses.stream().map(use -> use.entry().connection()).toList();
        proofs.ask(
                fresh,
                ANSWER_NANOS,
                () -> connector
                        .findUnresponsive(fresh.connection(), connections, ANSWER_NANOS)
                        .thenApply(unresponsive -> {
                            control.post(() -> uses.forEach(use -> end(use, unresponsive)));
                            return true;
                        }),
                () -> unanswered(fresh));
        return true;
    }

    /** The question may still be under way on this connection, so nobody else can use it. It says nothing of the others. */
    private void unanswered(Entry<T> fresh) {
        askedInVain = true;
        retirements.retire(fresh, DiscardReason.VALIDATION_FAILED);
    }

    private void end(Use<T> use, List<T> unresponsive) {
        boolean isNamed = unresponsive.stream()
                .anyMatch(connection -> connection == use.entry().connection());
        if (isNamed && use.lasts(time.nanos(), SURELY_IN_USE_NANOS)) {
            retirements.retireInUse(use.entry(), DiscardReason.UNRESPONSIVE);
        }
    }
}
