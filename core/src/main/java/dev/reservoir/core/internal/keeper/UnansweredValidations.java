package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.calls.ProcessPauses;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.stats.Nanos;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Judges connections that callers validate at checkout and that do not answer, by the rule of {@link Validations}. A
 * connection that was silent for {@link Validations#PATIENCE_NANOS} is lost as soon as the server answers a connect, or
 * another validation, that began after that. It is then closed under its caller. Without such an answer nothing is
 * known, and the caller waits until its own timeout. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class UnansweredValidations<T> {
    private final EventLoop eventLoop;
    private final ProcessPauses pauses;
    private final Retirements<T> retirements;

    /** At most one for each connection in use. */
    private final Map<Entry<T>, Doubt<T>> all = new LinkedHashMap<>();

    /** When the most recent connect or validation began that the server answered. */
    private long answeredNanos = Long.MIN_VALUE;

    UnansweredValidations(EventLoop eventLoop, ProcessPauses pauses, Retirements<T> retirements) {
        this.eventLoop = eventLoop;
        this.pauses = pauses;
        this.retirements = retirements;
    }

    /**
     * Records that a caller began to validate a connection at the given time and has no answer.
     *
     * @param whenLost runs without the lock if the connection is lost
     * @return whether the keeper must find out if the server answers at all; false if that is known, or the use is over
     */
    boolean add(ConnectionUse<T> use, long askedNanos, Runnable whenLost) {
        all.put(use.entry(), new Doubt<>(use, askedNanos, whenLost));
        judge();
        return all.containsKey(use.entry());
    }

    /** The server answered a connect or a validation that began at the given time. */
    void serverAnswered(long begunNanos) {
        answeredNanos = Math.max(answeredNanos, begunNanos);
        if (!all.isEmpty()) {
            judge();
        }
    }

    /** Whether a connect that begins now can show that a connection is lost. */
    boolean wantAnswer(long nowNanos) {
        if (all.isEmpty()) {
            return false;
        }
        all.values().removeIf(doubt -> !doubt.use.lasts(nowNanos, 0));
        return all.values().stream().anyMatch(doubt -> nowNanos >= hungNanos(doubt));
    }

    /** The time from which an answer of the server to others shows that this connection is lost. */
    private long hungNanos(Doubt<T> doubt) {
        return Nanos.sum(pauses.heardSinceNanos(doubt.askedNanos), Validations.PATIENCE_NANOS);
    }

    private void judge() {
        long now = eventLoop.nanos();
        for (Iterator<Doubt<T>> each = all.values().iterator(); each.hasNext(); ) {
            Doubt<T> doubt = each.next();
            boolean isOver = !doubt.use.lasts(now, 0);
            if (isOver) {
                each.remove();
            } else if (answeredNanos >= hungNanos(doubt)) {
                each.remove();
                retirements.retireInUse(doubt.use.entry(), DiscardReason.UNRESPONSIVE);
                eventLoop.later(doubt.whenLost);
            }
        }
    }

    private record Doubt<T>(ConnectionUse<T> use, long askedNanos, Runnable whenLost) {}
}
