package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.stats.EngineCounters;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Time;
import java.util.ArrayList;
import java.util.List;

/**
 * Helps callers whose connections may have lost their server. If others wait and no connection comes back, it says when one more
 * connection is to be opened beside those in use. That one asks the server which of those in use it no longer serves. They are
 * closed under their callers, whose calls end with an error instead of hanging. A statement that takes long, or waits for a lock, is
 * served and stays. If ready connections were found dead, a ready one asks the same, though nobody waits. All state is guarded by
 * the keeper's lock.
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

    /** For so long after a connection was found dead, the server is asked now and then after those in use. */
    private static final long INQUIRY_NANOS = 10_000_000_000L;

    private static final long INQUIRY_PAUSE_NANOS = 2_000_000_000L;

    private final EventLoop control;
    private final Time time;
    private final Connector<T> connector;
    private final OpenConnections<T> population;
    private final Validations<T> validations;
    private final Retirements<T> retirements;

    private long checkoutsSeen = -1;
    private long sinceNanos;
    private long helpedNanos = Long.MIN_VALUE;
    private long nextLookNanos = Long.MIN_VALUE;

    /** Connections that were opened beside all others, and may stay there as long as somebody waits. */
    private int extra;

    /** Whether the last question of these waits was not answered. */
    private boolean askedInVain;

    private long inquiresUntilNanos = Long.MIN_VALUE;
    private long nextInquiryNanos = Long.MIN_VALUE;

    Rescue(
            EventLoop control,
            Time time,
            Connector<T> connector,
            OpenConnections<T> population,
            Validations<T> validations,
            Retirements<T> retirements) {
        this.control = control;
        this.time = time;
        this.connector = connector;
        this.population = population;
        this.validations = validations;
        this.retirements = retirements;
    }

    /**
     * Whether somebody waits and nobody has been served for {@link #PATIENCE_NANOS}.
     *
     * @param oldestNanos since when the one who has waited longest does, or any later time
     */
    boolean isWanted(long nowNanos, int waiting, long oldestNanos, EngineCounters counters) {
        if (waiting == 0) {
            checkoutsSeen = -1;
            nextLookNanos = Long.MIN_VALUE;
            extra = 0;
            askedInVain = false;
        }
        if (waiting == 0 || nowNanos < nextLookNanos) {
            return false;
        }
        long checkouts = population.checkouts(counters);
        if (checkouts != checkoutsSeen) {
            // At the first look nobody has been served since the oldest came.
            sinceNanos = checkoutsSeen == -1 ? Math.max(oldestNanos, helpedNanos) : nowNanos;
            checkoutsSeen = checkouts;
        }
        long wantedNanos = sinceNanos + PATIENCE_NANOS;
        boolean isWanted = nowNanos >= wantedNanos;
        nextLookNanos = isWanted ? nowNanos + LOOK_NANOS : Math.min(nowNanos + LOOK_NANOS, wantedNanos);
        return isWanted;
    }

    /** Help is under way: the time begins anew. */
    void helped(long nowNanos) {
        helpedNanos = nowNanos;
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
        askAfter(longUses(time.nanos()), fresh);
        return true;
    }

    /** A connection that nobody used was found dead. Others that are in use may be, too. */
    void foundDead(long nowNanos) {
        inquiresUntilNanos = nowNanos + INQUIRY_NANOS;
    }

    /** Whether the server is to be asked now after those in use, though nobody waits. */
    boolean isInquiryDue(long nowNanos) {
        return nowNanos < inquiresUntilNanos
                && nowNanos >= nextInquiryNanos
                && !longUses(nowNanos).isEmpty();
    }

    /** Asks with a ready connection that the keeper owns, which has been validated since. */
    void inquire(Entry<T> ready, long nowNanos) {
        nextInquiryNanos = nowNanos + INQUIRY_PAUSE_NANOS;
        askAfter(longUses(nowNanos), ready);
    }

    private List<ConnectionUse<T>> longUses(long nowNanos) {
        return population.everyone().stream()
                .map(ConnectionUse::of)
                .filter(use -> use.lasts(nowNanos, SURELY_IN_USE_NANOS))
                .toList();
    }

    private void askAfter(List<ConnectionUse<T>> uses, Entry<T> asking) {
        List<T> connections = uses.stream().map(use -> use.entry().connection()).toList();
        validations.ask(
                asking,
                ANSWER_NANOS,
                () -> connector
                        .findUnresponsive(asking.connection(), connections, ANSWER_NANOS)
                        .thenApply(answer -> {
                            // Copied here: a connector that answers with no list must not stop the event loop.
                            List<T> unresponsive = new ArrayList<>(answer);
                            control.post(() -> uses.forEach(use -> end(use, unresponsive)));
                            return true;
                        }),
                () -> unanswered(asking));
    }

    /** The question may still be under way on this connection, so nobody else can use it. It says nothing of the others. */
    private void unanswered(Entry<T> asking) {
        askedInVain = true;
        inquiresUntilNanos = Long.MIN_VALUE;
        retirements.retire(asking, DiscardReason.VALIDATION_FAILED);
    }

    private void end(ConnectionUse<T> use, List<T> unresponsive) {
        boolean isNamed = unresponsive.stream()
                .anyMatch(connection -> connection == use.entry().connection());
        if (isNamed && use.lasts(time.nanos(), SURELY_IN_USE_NANOS)) {
            retirements.retireInUse(use.entry(), DiscardReason.UNRESPONSIVE);
        }
    }
}
