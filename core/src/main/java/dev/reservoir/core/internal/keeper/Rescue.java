package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.ReadyStore;
import dev.reservoir.core.internal.stats.EngineCounters;
import dev.reservoir.core.spi.Connector;
import java.util.ArrayList;
import java.util.List;

/**
 * Helps callers whose connections may have lost their server. If callers wait and no connection is released, it decides
 * when to open one more connection. That connection asks the server which connections in use the server no longer
 * serves. They are closed under their callers, so that those calls end with an error instead of hanging. A long
 * statement, or one that waits for a lock, is served and stays. If ready connections were found dead, a ready
 * connection asks the same question, even if nobody waits. All state is guarded by the keeper's lock.
 *
 * <p>A released connection goes to a waiter. The number of checkouts therefore shows whether any connection was
 * released.
 *
 * @param <T> the connection
 */
final class Rescue<T> {
    /**
     * How long nobody may be served before help is needed. That is longer than most statements take, and short enough
     * to serve callers again within their timeout.
     */
    private static final long PATIENCE_NANOS = 2_000_000_000L;

    /** The shortest time between two counts of checkouts. A count reads every connection, so it must be rare. */
    private static final long LOOK_NANOS = 250_000_000L;

    /** The server is not asked about a connection that has been in use for less than this. */
    private static final long SURELY_IN_USE_NANOS = 1_000_000_000L;

    /**
     * How long the server may take to say which connections it serves. This includes asking twice with a pause between.
     */
    private static final long ANSWER_NANOS = 3_000_000_000L;

    /** How long after a connection was found dead the server is repeatedly asked about the connections in use. */
    private static final long INQUIRY_NANOS = 10_000_000_000L;

    /** The shortest time between two such questions. */
    private static final long INQUIRY_PAUSE_NANOS = 2_000_000_000L;

    private final EventLoop eventLoop;
    private final Connector<T> connector;
    private final ReadyStore<T> store;
    private final OpenConnections<T> openConnections;
    private final Validations<T> validations;
    private final Retirements<T> retirements;

    private long checkoutsSeen = -1;
    private long sinceNanos;
    private long helpedNanos = Long.MIN_VALUE;
    private long nextLookNanos = Long.MIN_VALUE;

    /** Connections that were opened in addition to all others, and may stay as long as somebody waits. */
    private int extra;

    /** Whether the server left the last question unanswered, during the waits that are under way. */
    private boolean askedInVain;

    private long inquiresUntilNanos = Long.MIN_VALUE;
    private long nextInquiryNanos = Long.MIN_VALUE;

    Rescue(
            EventLoop eventLoop,
            Connector<T> connector,
            ReadyStore<T> store,
            OpenConnections<T> openConnections,
            Validations<T> validations,
            Retirements<T> retirements) {
        this.eventLoop = eventLoop;
        this.connector = connector;
        this.store = store;
        this.openConnections = openConnections;
        this.validations = validations;
        this.retirements = retirements;
    }

    /**
     * Whether somebody waits and nobody has been served for {@link #PATIENCE_NANOS}.
     *
     * @param oldestNanos the time since when the oldest waiter has waited, or any later time
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
        long checkouts = openConnections.checkouts(counters);
        if (checkouts != checkoutsSeen) {
            // At the first look, nobody has been served since the oldest waiter joined.
            sinceNanos = checkoutsSeen == -1 ? Math.max(oldestNanos, helpedNanos) : nowNanos;
            checkoutsSeen = checkouts;
        }
        long wantedNanos = sinceNanos + PATIENCE_NANOS;
        boolean isWanted = nowNanos >= wantedNanos;
        nextLookNanos = isWanted ? nowNanos + LOOK_NANOS : Math.min(nowNanos + LOOK_NANOS, wantedNanos);
        return isWanted;
    }

    /** Records that help is under way and starts the time again. */
    void helped(long nowNanos) {
        helpedNanos = nowNanos;
        checkoutsSeen = -1;
        nextLookNanos = Long.MIN_VALUE;
    }

    /** When to look again while somebody waits. */
    long nextLookNanos() {
        return nextLookNanos;
    }

    /** How many connections to retire now, out of this many beyond the maximum. */
    int retiring(int tooMany) {
        extra = Math.min(extra, tooMany);
        return tooMany - extra;
    }

    /**
     * Asks the server, over a connection opened for this, which connections in use it no longer serves.
     *
     * @return false if the server left an earlier question unanswered while the same callers wait; the connection then
     *     serves one of them
     */
    boolean ask(Entry<T> fresh) {
        extra++;
        if (askedInVain) {
            return false;
        }
        askAfter(longUses(eventLoop.nanos()), fresh);
        return true;
    }

    /** Records that a connection that nobody used was found dead. Connections in use may be dead as well. */
    void foundDead(long nowNanos) {
        inquiresUntilNanos = nowNanos + INQUIRY_NANOS;
    }

    /**
     * Asks the server about the connections in use, although nobody waits, if ready connections were found dead. Asks
     * over a ready connection that was validated since the last sign of trouble.
     */
    void inquireIfDue(long nowNanos, long troubleNanos) {
        if (nowNanos >= inquiresUntilNanos || nowNanos < nextInquiryNanos) {
            return;
        }
        List<ConnectionUse<T>> uses = longUses(nowNanos);
        Entry<T> asking = uses.isEmpty() ? null : openConnections.lastValidated(store);
        if (asking != null && asking.validatedNanos() >= troubleNanos && store.claim(asking)) {
            nextInquiryNanos = nowNanos + INQUIRY_PAUSE_NANOS;
            askAfter(uses, asking);
        }
    }

    private List<ConnectionUse<T>> longUses(long nowNanos) {
        return openConnections.everyone().stream()
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
                            // The list is copied here: a connector that returns null must not cause an error on the
                            // event loop.
                            List<T> unresponsive = new ArrayList<>(answer);
                            eventLoop.post(() -> uses.forEach(use -> end(use, unresponsive)));
                            return true;
                        }),
                () -> unanswered(asking));
    }

    /**
     * The question may still be running on this connection, so nobody else can use it. That says nothing about the
     * other connections.
     */
    private void unanswered(Entry<T> asking) {
        askedInVain = true;
        inquiresUntilNanos = Long.MIN_VALUE;
        retirements.retire(asking, DiscardReason.VALIDATION_FAILED);
    }

    private void end(ConnectionUse<T> use, List<T> unresponsive) {
        boolean isNamed = unresponsive.stream()
                .anyMatch(connection -> connection == use.entry().connection());
        if (isNamed && use.lasts(eventLoop.nanos(), SURELY_IN_USE_NANOS)) {
            retirements.retireInUse(use.entry(), DiscardReason.UNRESPONSIVE);
        }
    }
}
