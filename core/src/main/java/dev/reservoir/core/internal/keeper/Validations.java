package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.calls.SpiCalls;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.internal.stats.Nanos;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Time;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Validates connections: finds out whether those that are idle or suspect still work. Validations run side by side up to a
 * bound, each with a timeout; nobody gets a connection before its validation has ended. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class Validations<T> {
    /** A connection that takes longer to answer is a sign of trouble, though it has until the timeout to answer after all. */
    static final long PATIENCE_NANOS = 1_000_000_000L;

    /** A timer that goes off later than this shows that the process stood still: longer than any load delays a thread. */
    static final long PAUSE_NANOS = 500_000_000L;

    /** How often one validation gets more time after a pause. A process that always stands still must come to an end, too. */
    private static final int PAUSES_MAX = 3;

    private final EventLoop control;
    private final Time time;
    private final CurrentSettings settings;
    private final Connector<T> connector;
    private final Outcome<T> outcome;
    private final Queue<Question<T>> queue = new ArrayDeque<>();
    private final Set<Validation<T>> inFlight = new LinkedHashSet<>();

    /** Those that could not be asked and wait for the next try, with its timer. */
    private final Map<Entry<T>, Time.Timer> paused = new HashMap<>();

    /** When the last pause of the process ended. Answers that came during it may not have been read yet. */
    private volatile long awakeSinceNanos = Long.MIN_VALUE;

    Validations(EventLoop control, Time time, CurrentSettings settings, Connector<T> connector, Outcome<T> outcome) {
        this.control = control;
        this.time = time;
        this.settings = settings;
        this.connector = connector;
        this.outcome = outcome;
    }

    /** What a validation showed. Called under the lock; the keeper owns the entry. */
    interface Outcome<T> {
        void validated(Entry<T> entry, Answer answer, long begunNanos);

        /** It has not answered for {@link #PATIENCE_NANOS}. */
        void hangs(Entry<T> entry);
    }

    /** How a validation ended. */
    public enum Answer {
        WORKS,
        /** The server said so, or said nothing within the timeout. */
        DOES_NOT_WORK,
        /** The connection could not be asked; nothing is known of it. */
        NOT_ASKED
    }

    /** Connections that are being validated or wait for it. */
    int pending() {
        return inFlight.size() + queue.size() + paused.size();
    }

    /** Connections that have been asked so long ago and have not answered, with those that wait behind them. */
    int unansweredFor(long nanos) {
        int hang = hanging(nanos).size();
        return hang >= settings.get().validationsInFlightMax() ? pending() : hang;
    }

    private List<Validation<T>> hanging(long nanos) {
        if (inFlight.isEmpty()) {
            return List.of();
        }
        long now = time.nanos();
        List<Validation<T>> hanging = new ArrayList<>();
        for (Validation<T> validation : inFlight) {
            if (now - heardSinceNanos(validation.begunNanos) >= nanos) {
                hanging.add(validation);
            }
        }
        return hanging;
    }

    /** From when on an answer would have been heard: when it was asked, or when the process went on after a pause. */
    long heardSinceNanos(long askedNanos) {
        return Math.max(askedNanos, awakeSinceNanos);
    }

    /** The process stood still until now. Takes no lock. */
    void woke(long nowNanos) {
        awakeSinceNanos = Math.max(awakeSinceNanos, nowNanos);
    }

    /** Validates an entry that the keeper owns. */
    void validate(Entry<T> entry) {
        validate(question(entry));
    }

    private Question<T> question(Entry<T> entry) {
        long timeout = settings.get().validationTimeoutNanos();
        return new Question<>(entry, timeout, () -> connector.validate(entry.connection(), timeout), null);
    }

    /**
     * Asks another question with an entry that the keeper owns. An answer shows that it works; without one within the timeout, the
     * question may still be under way on it.
     */
    void ask(Entry<T> entry, long timeoutNanos, Supplier<CompletionStage<Boolean>> question, Runnable whenUnanswered) {
        validate(new Question<>(entry, timeoutNanos, question, whenUnanswered));
    }

    /** Entries whose validation hangs. */
    List<Entry<T>> hanging() {
        return hanging(PATIENCE_NANOS).stream()
                .map(validation -> validation.entry)
                .toList();
    }

    private void validate(Question<T> question) {
        question.entry.validating = true;
        queue.add(question);
        startNext();
    }

    /** Validates an entry that the keeper owns, after a pause; without a timer for that, at the next scan. */
    void validateAfter(long pauseNanos, Entry<T> entry) {
        entry.validating = true;
        try {
            paused.put(
                    entry,
                    time.schedule(
                            pauseNanos,
                            () -> control.post(() -> {
                                if (paused.remove(entry) != null) {
                                    validate(entry);
                                }
                            })));
        } catch (RuntimeException | Error e) {
            queue.add(question(entry));
        }
    }

    /**
     * A new connect, which began at the given time, was answered. The server is there, so what had said nothing for
     * {@link #PATIENCE_NANOS} by then is lost. The time in which this process stood still does not count, and a connect that was
     * under way meanwhile says nothing: its answer may only have been read before the others.
     */
    void serverAnswered(long connectBegunNanos) {
        for (Validation<T> validation : hanging(PATIENCE_NANOS)) {
            boolean hungBefore = connectBegunNanos - heardSinceNanos(validation.begunNanos) >= PATIENCE_NANOS;
            if (hungBefore && validation.question.whenUnanswered == null) {
                answer(validation, Answer.DOES_NOT_WORK);
            }
        }
    }

    /** Gives up one that hangs: its place is wanted. */
    void giveUp(Entry<T> entry) {
        for (Validation<T> validation : List.copyOf(inFlight)) {
            if (validation.entry == entry) {
                answer(validation, Answer.DOES_NOT_WORK);
            }
        }
    }

    /** Forgets an entry that is being validated or waits for it: it is about to be closed, and no answer matters any more. */
    void drop(Entry<T> entry) {
        entry.validating = false;
        Time.Timer pause = paused.remove(entry);
        if (pause != null) {
            pause.cancel();
        } else if (!queue.removeIf(question -> question.entry == entry)) {
            inFlight.removeIf(validation -> {
                boolean same = validation.entry == entry;
                if (same) {
                    validation.cancelTimers();
                }
                return same;
            });
        }
        startNext();
    }

    /** Waits for no answer any more and begins no validation: the connections are about to be closed. */
    void abandonAll() {
        paused.values().forEach(Time.Timer::cancel);
        paused.clear();
        queue.clear();
        inFlight.forEach(Validation::cancelTimers);
        inFlight.clear();
    }

    /** Begins what waits. Called again by each scan, in case an error kept a validation from beginning. */
    void startNext() {
        while (inFlight.size() < settings.get().validationsInFlightMax() && !queue.isEmpty()) {
            Question<T> next = queue.remove();
            Validation<T> validation = new Validation<>(next, time.nanos());
            inFlight.add(validation);
            try {
                ask(validation);
            } catch (RuntimeException | Error e) {
                control.post(() -> answer(validation, Answer.NOT_ASKED));
            }
        }
    }

    private void ask(Validation<T> validation) {
        Question<T> question = validation.question;
        validation.timeout = watch(question.timeoutNanos, () -> timedOut(validation));
        if (question.timeoutNanos > PATIENCE_NANOS && question.whenUnanswered == null) {
            validation.patience = watch(PATIENCE_NANOS, () -> patienceEnded(validation));
        }
        control.later(() -> SpiCalls.call(question.question, (works, error) -> {
            Answer answer =
                    error != null ? Answer.NOT_ASKED : Boolean.TRUE.equals(works) ? Answer.WORKS : Answer.DOES_NOT_WORK;
            control.post(() -> answer(validation, answer));
            // Last: if the answer cannot be passed on, the timeout ends the validation.
            validation.cancelTimers();
        }));
    }

    /** A timer whose task runs under the lock. If it goes off late, the process stood still. */
    private Time.Timer watch(long delayNanos, Runnable then) {
        long dueNanos = Nanos.sum(time.nanos(), delayNanos);
        return time.schedule(delayNanos, () -> {
            try {
                long now = time.nanos();
                if (now - dueNanos >= PAUSE_NANOS) {
                    woke(now);
                }
            } finally {
                control.post(then);
            }
        });
    }

    /** Whether the process stood still lately, so that the answer had less than so long to be heard. */
    private boolean needsMoreTime(Validation<T> validation, long nanos) {
        return time.nanos() - heardSinceNanos(validation.begunNanos) < nanos && validation.pauses++ < PAUSES_MAX;
    }

    private void patienceEnded(Validation<T> validation) {
        if (!inFlight.contains(validation)) {
            return;
        }
        if (needsMoreTime(validation, PATIENCE_NANOS)) {
            validation.patience = watch(PATIENCE_NANOS, () -> patienceEnded(validation));
        } else {
            outcome.hangs(validation.entry);
        }
    }

    private void timedOut(Validation<T> validation) {
        long leastNanos = Math.min(PATIENCE_NANOS, validation.question.timeoutNanos);
        if (inFlight.contains(validation) && needsMoreTime(validation, leastNanos)) {
            try {
                validation.timeout = watch(leastNanos, () -> timedOut(validation));
                return;
            } catch (RuntimeException | Error noTimer) {
                // Without a timer nobody would ever end it.
            }
        }
        Runnable whenUnanswered = validation.question.whenUnanswered;
        if (whenUnanswered == null) {
            answer(validation, Answer.DOES_NOT_WORK);
        } else if (inFlight.remove(validation)) {
            validation.cancelTimers();
            validation.entry.validating = false;
            whenUnanswered.run();
            startNext();
        }
    }

    private void answer(Validation<T> validation, Answer answer) {
        if (!inFlight.remove(validation)) {
            return;
        }
        validation.cancelTimers();
        validation.entry.validating = false;
        outcome.validated(validation.entry, answer, validation.begunNanos);
        startNext();
    }

    /**
     * What is asked.
     *
     * @param whenUnanswered what to do if there is no answer in time; null for a validation, which then has failed
     */
    private record Question<T>(
            Entry<T> entry,
            long timeoutNanos,
            Supplier<CompletionStage<Boolean>> question,
            @Nullable Runnable whenUnanswered) {}

    /** One validation under way; answered once it is not among those in flight any more. */
    private static final class Validation<T> {
        private final Question<T> question;
        private final Entry<T> entry;
        private final long begunNanos;
        private Time.Timer timeout = () -> {};
        private Time.Timer patience = () -> {};
        private int pauses;

        Validation(Question<T> question, long begunNanos) {
            this.question = question;
            this.entry = question.entry;
            this.begunNanos = begunNanos;
        }

        void cancelTimers() {
            timeout.cancel();
            patience.cancel();
        }
    }
}
