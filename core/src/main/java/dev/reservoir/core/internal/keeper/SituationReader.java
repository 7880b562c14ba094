package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.internal.opening.Backoff;
import dev.reservoir.core.internal.opening.Closings;
import dev.reservoir.core.internal.opening.RefillPace;

/**
 * Reads the {@link Situation} from the parts of a keeper. Changes nothing. Called under the keeper's lock.
 *
 * @param <T> the connection
 */
final class SituationReader<T> {
    /** How long a connect that is attempted alone may go unanswered before another one begins. */
    private static final long PROBE_PATIENCE_NANOS = 1_000_000_000L;

    /** How long a validation may hang, while callers wait, before another connection is opened in addition. */
    private static final long VALIDATION_PATIENCE_NANOS = 100_000_000L;

    private final KeeperParts<T> parts;
    private final RefillPace pace;

    SituationReader(KeeperParts<T> parts, RefillPace pace) {
        this.parts = parts;
        this.pace = pace;
    }

    /**
     * The situation now.
     *
     * @param startNanos no connect begins before this
     */
    Situation read(long now, long startNanos, double ratePerSecond) {
        Targets targets = parts.state.targets;
        Settings settings = parts.settings.get();
        Backoff backoff = parts.failures.backoff();
        int size = parts.openConnections.size();
        int ready = Math.min(parts.store.ready(), size);
        int pending = parts.validations.pending();
        int opening = parts.openings.opening();
        int validating = Math.min(pending, size - ready);
        boolean isWaitedFor = parts.waiters.waiting() > 0;
        boolean probing = backoff.isProbing() || parts.isFirstProbe();
        // A connect that hangs is no answer, so another attempt begins (promise 7).
        int hung = probing ? parts.openings.unansweredFor(PROBE_PATIENCE_NANOS) : 0;
        // While callers wait, a validation may hang for a shorter time before another connection is opened in addition.
        long patience = isWaitedFor ? VALIDATION_PATIENCE_NANOS : Validations.PATIENCE_NANOS;

        Situation.Builder s = new Situation.Builder(targets);
        s.nowNanos = now;
        s.allowance = parts.allowance(now);
        s.ready = ready + validating;
        s.doubtful = Math.min(validating, parts.validations.unansweredFor(patience));
        s.inUse = Math.max(0, size - ready - pending);
        s.marked = parts.openConnections.marked();
        s.aging = parts.openConnections.aging();
        s.opening = opening;
        s.closing = parts.retirements.openStill();
        s.waiting = parts.handovers.unserved();
        s.overflow = parts.openConnections.overflow() + parts.closings.openStill(Closings.Kind.OVERFLOW);
        s.openingOverflow = parts.openings.openingOverflow();
        s.overflowMax = overflowMax(settings);
        s.opensInFlightMax = hung > 0
                ? Math.min(settings.opensInFlightMax(), 1 + hung)
                : backoff.opensAtOnce(settings.opensInFlightMax());
        s.mayOpenFromNanos = Math.max(startNanos, backoff.untilNanos(isWaitedFor));
        s.calmFromNanos = pace.fromNanos();
        s.calmAtOnce = pace.atOnce(ratePerSecond, targets, opening);
        s.probing = probing && hung == 0;
        s.paused = parts.state.paused || parts.shutdown.hasBegun();
        return s.build();
    }

    /** How many temporary connections may exist. */
    static int overflowMax(Settings settings) {
        return settings.exhaustion() == Exhaustion.OVERFLOW ? settings.overflowMax() : 0;
    }
}
