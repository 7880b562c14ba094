package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.Gate;
import dev.reservoir.core.internal.checkout.ReadyStore;
import org.jspecify.annotations.Nullable;

/**
 * Decides which connections a sign of trouble makes suspect, has them validated, and judges the answers. Never opens or
 * closes a connection itself. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class Trouble<T> {
    /**
     * How many times in a row the validation of a suspect may not be carried out before the connection counts as
     * broken, and the pause between the attempts. Together they allow about 10 seconds.
     */
    private static final int FAILED_QUESTIONS_MAX = 20;

    private static final long FAILED_QUESTION_PAUSE_NANOS = 500_000_000L;

    /**
     * How long after a false alarm a single broken connection makes no other suspect. So there is at most one false
     * alarm in this time.
     */
    private static final long FALSE_ALARM_NANOS = 60_000_000_000L;

    private final EventLoop eventLoop;
    private final Gate gate;
    private final ReadyStore<T> store;
    private final OpenConnections<T> openConnections;
    private final Validations<T> validations;
    private final Retirements<T> retirements;
    private final Handovers<T> handovers;

    /**
     * The connection that was last validated on behalf of all, and whether there was another sign of trouble since its
     * validation began.
     */
    private @Nullable Entry<T> witness;

    private boolean asksAgain;

    /** The results for the sign of trouble whose suspects are being validated. */
    private @Nullable Alarm alarm;

    /** Until this time a single broken connection does not make the others suspect. */
    private volatile long falseAlarmUntilNanos = Long.MIN_VALUE;

    Trouble(
            EventLoop eventLoop,
            Gate gate,
            ReadyStore<T> store,
            OpenConnections<T> openConnections,
            Validations<T> validations,
            Retirements<T> retirements,
            Handovers<T> handovers) {
        this.eventLoop = eventLoop;
        this.gate = gate;
        this.store = store;
        this.openConnections = openConnections;
        this.validations = validations;
        this.retirements = retirements;
        this.handovers = handovers;
    }

    /** When the last sign of trouble was. */
    long lastNanos() {
        return gate.troubleNanos();
    }

    /**
     * Handles one broken connection or one failed connect. All others are suspect, unless the last alarm was false and
     * recent. Then such failures concern one connection at a time, and one of the others is validated on behalf of all.
     */
    void suspectOthers() {
        if (eventLoop.nanos() >= falseAlarmUntilNanos) {
            suspectAll();
        } else if (witness != null && witness.isValidating()) {
            asksAgain = true;
        } else {
            askWitness(openConnections.longestUnvalidated(store));
        }
    }

    /**
     * Whether a broken connection probably says nothing about the others. Callers read it without the lock, as a hint.
     */
    boolean isFalseAlarmLikely(long nowNanos) {
        return nowNanos < falseAlarmUntilNanos;
    }

    /** Validates this connection on behalf of all, if it is still ready and no other is being validated for that. */
    void askWitness(@Nullable Entry<T> longest) {
        if (witness != null && witness.isValidating()) {
            return;
        }
        asksAgain = false;
        witness = null;
        if (longest != null && store.claim(longest)) {
            witness = longest;
            validations.validate(longest);
        }
    }

    /** Makes every connection suspect that was last validated before now. */
    private void suspectAll() {
        gate.trouble(eventLoop.nanos());
        alarmed();
    }

    /** Handles a sign of trouble: has the suspects validated, and then decides whether the alarm was false. */
    void alarmed() {
        alarm = alarm == null ? new Alarm() : alarm;
        falseAlarmUntilNanos = Long.MIN_VALUE;
        long troubleNanos = lastNanos();
        for (Entry<T> entry : openConnections.snapshot()) {
            if (entry.validatedNanos() < troubleNanos) {
                validateIfReady(entry);
            }
        }
    }

    void validateIfReady(Entry<T> entry) {
        if (!entry.isGone() && !entry.isValidating() && store.claim(entry)) {
            validations.validate(entry);
        }
    }

    /** Handles a validation that takes too long. */
    void hangs(Entry<T> entry) {
        if (entry.validatedNanos() >= lastNanos()) {
            suspectAll();
        }
    }

    /** Handles the end of a validation. The keeper owns the entry. */
    void validated(Entry<T> entry, Validations.Answer answer, long begunNanos) {
        if (entry.isGone()) {
            return;
        }
        boolean wasSuspect = entry.validatedNanos() < lastNanos();
        DiscardReason mark = entry.mark();
        if (answer == Validations.Answer.DOES_NOT_WORK) {
            retirements.retire(entry, DiscardReason.VALIDATION_FAILED);
            if (wasSuspect) {
                count(false);
            } else {
                suspectAll();
            }
        } else if (mark != null) {
            retirements.retire(entry, Retirements.resolved(entry, mark, eventLoop.nanos()));
        } else if (answer == Validations.Answer.WORKS) {
            works(entry, begunNanos, wasSuspect);
        } else if (wasSuspect) {
            askLater(entry);
        } else {
            entry.setValidatingTwice(false);
            handovers.makeReady(entry);
        }
        if (entry == witness && asksAgain) {
            askWitness(openConnections.longestUnvalidated(store));
        }
    }

    /** If all suspects that could be validated work, the sign of trouble concerned only one connection. */
    private void count(boolean works) {
        Alarm counted = alarm;
        if (counted == null) {
            return;
        }
        counted.fine += works ? 1 : 0;
        counted.broken += works ? 0 : 1;
        if (validations.pending() == 0) {
            alarm = null;
            if (counted.broken == 0 && counted.fine > 0) {
                falseAlarmUntilNanos = eventLoop.nanos() + FALSE_ALARM_NANOS;
            }
        }
    }

    /** The results of validations since a sign of trouble. */
    private static final class Alarm {
        private int fine;
        private int broken;
    }

    /**
     * Handles an answer. If there was a sign of trouble after the validation began, the answer may be older than the
     * trouble, so the connection is validated once more. The second answer counts in any case. Otherwise a connection
     * could stay in validation for ever while signs of trouble come faster than answers.
     */
    private void works(Entry<T> entry, long begunNanos, boolean wasSuspect) {
        entry.clearFailedQuestions();
        if (begunNanos >= lastNanos()) {
            entry.setValidatedNanos(begunNanos);
        } else if (!entry.isValidatingTwice()) {
            entry.setValidatedNanos(begunNanos);
            entry.setValidatingTwice(true);
            validations.validate(entry);
            return;
        } else {
            entry.setValidatedNanos(eventLoop.nanos());
        }
        entry.setValidatingTwice(false);
        handovers.makeReady(entry);
        if (wasSuspect) {
            count(true);
        }
    }

    /**
     * Handles a suspect whose validation could not be carried out. It is not handed out, and is validated again after a
     * pause, a bounded number of times.
     */
    private void askLater(Entry<T> entry) {
        if (entry.addFailedQuestion() > FAILED_QUESTIONS_MAX) {
            retirements.retire(entry, DiscardReason.VALIDATION_FAILED);
        } else {
            validations.validateAfter(FAILED_QUESTION_PAUSE_NANOS, entry);
        }
    }
}
