package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.calls.ProcessPauses;
import dev.reservoir.core.internal.calls.SpiCalls;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Time;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Validates connections: finds out whether idle or suspect connections still work. Never decides what happens to a
 * connection then, and never hands one out before its validation has ended. All state is guarded by the keeper's lock.
 *
 * <p><b>States.</b> A validation is queued, in flight, or paused because it could not be carried out. It ends with an
 * {@link Answer}, or is dropped because its connection is about to be closed. At most {@code validationsInFlightMax}
 * are in flight at once, each with a timeout. The keeper queues validations and drops them. The connector's answers and
 * the timers post events that end them.
 *
 * <p><b>Why the timeout is not the only judge.</b> The obvious rule is that no answer within the timeout means a dead
 * connection. That is too slow after a silent fail-over, when many connections hang. It is also wrong when this process
 * itself stood still and has not read the answers yet. Therefore two rules are added. A connection that was silent for
 * {@link #PATIENCE_NANOS} is lost as soon as the server answers a connect that began after that. The time in which the
 * process stood still does not count: a validation gets more time after such a pause, a bounded number of times.
 *
 * @param <T> the connection
 */
final class Validations<T> {
    /**
     * How long a validation may take before it is a sign of trouble. The connection still has until the timeout to
     * answer.
     */
    static final long PATIENCE_NANOS = 1_000_000_000L;

    /**
     * How many times one validation gets more time after a pause. The bound makes validations end even in a process
     * that keeps standing still.
     */
    private static final int PAUSES_MAX = 3;

    private final EventLoop eventLoop;
    private final ProcessPauses pauses;
    private final CurrentSettings settings;
    private final Connector<T> connector;
    private final Outcome<T> outcome;
    private final Queue<Validation> queue = new ArrayDeque<>();

    /** In the order in which they began. */
    private final List<Validation> inFlight = new ArrayList<>();

    /** Entries whose validation could not be carried out. They wait for the next attempt with this timer. */
    private final Map<Entry<T>, Time.Timer> paused = new HashMap<>();

    Validations(
            EventLoop eventLoop,
            ProcessPauses pauses,
            CurrentSettings settings,
            Connector<T> connector,
            Outcome<T> outcome) {
        this.eventLoop = eventLoop;
        this.pauses = pauses;
        this.settings = settings;
        this.connector = connector;
        this.outcome = outcome;
    }

    /** Receives the results of validations. Called under the lock, and the keeper owns the entry. */
    interface Outcome<T> {
        void validated(Entry<T> entry, Answer answer, long begunNanos);

        /** The connection has not answered for {@link #PATIENCE_NANOS}. */
        void hangs(Entry<T> entry);
    }

    /** The result of a validation. */
    public enum Answer {
        WORKS,
        /** The server said so, or did not answer within the timeout. */
        DOES_NOT_WORK,
        /** The validation could not be carried out, so nothing is known about the connection. */
        NOT_ASKED
    }

    /** Connections that are being validated or wait for it. */
    int pending() {
        return inFlight.size() + queue.size() + paused.size();
    }

    /**
     * Connections whose validation began at least this long ago and has no answer. If they occupy all validations in
     * flight, also the connections that wait behind them.
     */
    int unansweredFor(long nanos) {
        int hang = hanging(nanos);
        return hang >= settings.get().validationsInFlightMax() ? pending() : hang;
    }

    /** How many validations, counted from the first, began at least this long ago and have no answer. */
    private int hanging(long nanos) {
        long now = eventLoop.nanos();
        int count = 0;
        while (count < inFlight.size() && now - pauses.heardSinceNanos(inFlight.get(count).begunNanos) >= nanos) {
            count++;
        }
        return count;
    }

    /** Validates an entry that the keeper owns. */
    void validate(Entry<T> entry) {
        validate(validationOf(entry));
    }

    private Validation validationOf(Entry<T> entry) {
        return new Validation(entry, settings.get().validationTimeoutNanos(), null, null);
    }

    /**
     * Asks another question over an entry that the keeper owns. An answer shows that the connection works. Without an
     * answer within the timeout, the question may still be running on the connection.
     */
    void ask(Entry<T> entry, long timeoutNanos, Supplier<CompletionStage<Boolean>> question, Runnable whenUnanswered) {
        validate(new Validation(entry, timeoutNanos, question, whenUnanswered));
    }

    /** Entries whose validation hangs. */
    List<Entry<T>> hanging() {
        return inFlight.subList(0, hanging(PATIENCE_NANOS)).stream()
                .map(validation -> validation.entry)
                .toList();
    }

    private void validate(Validation validation) {
        validation.entry.setValidating(true);
        queue.add(validation);
        startNext();
    }

    /**
     * Validates an entry that the keeper owns, after a pause. If no timer is available, the next scan starts the
     * validation.
     */
    void validateAfter(long pauseNanos, Entry<T> entry) {
        entry.setValidating(true);
        try {
            Time.Timer timer = eventLoop.schedule(pauseNanos, () -> {
                if (paused.remove(entry) != null) {
                    validate(entry);
                }
            });
            paused.put(entry, timer);
        } catch (RuntimeException | Error e) {
            queue.add(validationOf(entry));
        }
    }

    /**
     * The server answered a connect that began at the given time. So the server works, and connections that had been
     * silent for {@link #PATIENCE_NANOS} by then are lost. The time in which this process stood still does not count. A
     * connect that was under way during such a pause says nothing, because its answer may only have been read before
     * the others.
     */
    void serverAnswered(long connectBegunNanos) {
        for (Validation validation : List.copyOf(inFlight.subList(0, hanging(PATIENCE_NANOS)))) {
            boolean hungBefore = connectBegunNanos - pauses.heardSinceNanos(validation.begunNanos) >= PATIENCE_NANOS;
            if (hungBefore && validation.whenUnanswered == null) {
                answer(validation, Answer.DOES_NOT_WORK);
            }
        }
    }

    /** Gives up a validation that hangs, because its place is needed. */
    void giveUp(Entry<T> entry) {
        for (Validation validation : List.copyOf(inFlight)) {
            if (validation.entry == entry) {
                answer(validation, Answer.DOES_NOT_WORK);
            }
        }
    }

    /**
     * Drops an entry that is being validated or waits for it. The entry is about to be closed, so no answer matters any
     * more.
     */
    void drop(Entry<T> entry) {
        entry.setValidating(false);
        Time.Timer pause = paused.remove(entry);
        if (pause != null) {
            pause.cancel();
        } else if (!queue.removeIf(validation -> validation.entry == entry)) {
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

    /** Drops all validations and starts none, because the connections are about to be closed. */
    void abandonAll() {
        paused.values().forEach(Time.Timer::cancel);
        paused.clear();
        queue.clear();
        inFlight.forEach(validation -> validation.cancelTimers());
        inFlight.clear();
    }

    /** Starts queued validations. Each scan calls this as well, in case an error kept a validation from starting. */
    void startNext() {
        while (inFlight.size() < settings.get().validationsInFlightMax() && !queue.isEmpty()) {
            Validation validation = queue.remove();
            validation.begunNanos = eventLoop.nanos();
            inFlight.add(validation);
            try {
                ask(validation);
            } catch (RuntimeException | Error e) {
                eventLoop.post(() -> answer(validation, Answer.NOT_ASKED));
            }
        }
    }

    /** Sets one timer only, because nearly every answer comes before the patience ends. */
    private void ask(Validation validation) {
        if (validation.timeoutNanos > PATIENCE_NANOS && validation.whenUnanswered == null) {
            validation.patience = pauses.schedule(PATIENCE_NANOS, () -> firstPatienceEnded(validation));
        } else {
            validation.timeout = pauses.schedule(validation.timeoutNanos, () -> timedOut(validation));
        }
        eventLoop.later(validation);
    }

    /** Whether the process stood still recently, so that it had less than this time to read an answer. */
    private boolean needsMoreTime(Validation validation, long nanos) {
        return eventLoop.nanos() - pauses.heardSinceNanos(validation.begunNanos) < nanos
                && validation.pauses++ < PAUSES_MAX;
    }

    private void firstPatienceEnded(Validation validation) {
        if (inFlight.contains(validation)) {
            long passedNanos = eventLoop.nanos() - validation.begunNanos;
            limit(validation, Math.max(0, validation.timeoutNanos - passedNanos));
            patienceEnded(validation);
        }
    }

    /** Ends the validation after this time. Without a timer nothing would ever end it, so it ends now. */
    private void limit(Validation validation, long nanos) {
        try {
            validation.timeout = pauses.schedule(nanos, () -> timedOut(validation));
        } catch (RuntimeException | Error noTimer) {
            unanswered(validation);
        }
    }

    private void patienceEnded(Validation validation) {
        if (!inFlight.contains(validation)) {
            return;
        }
        if (needsMoreTime(validation, PATIENCE_NANOS)) {
            validation.patience = pauses.schedule(PATIENCE_NANOS, () -> patienceEnded(validation));
        } else {
            outcome.hangs(validation.entry);
        }
    }

    private void timedOut(Validation validation) {
        long minNanos = Math.min(PATIENCE_NANOS, validation.timeoutNanos);
        if (inFlight.contains(validation) && needsMoreTime(validation, minNanos)) {
            limit(validation, minNanos);
        } else {
            unanswered(validation);
        }
    }

    private void unanswered(Validation validation) {
        Runnable whenUnanswered = validation.whenUnanswered;
        if (whenUnanswered == null) {
            answer(validation, Answer.DOES_NOT_WORK);
        } else if (inFlight.remove(validation)) {
            validation.cancelTimers();
            validation.entry.setValidating(false);
            whenUnanswered.run();
            startNext();
        }
    }

    private void answer(Validation validation, Answer answer) {
        if (!inFlight.remove(validation)) {
            return;
        }
        validation.cancelTimers();
        validation.entry.setValidating(false);
        outcome.validated(validation.entry, answer, validation.begunNanos);
        startNext();
    }

    /**
     * One validation, or another question to the server over one connection. It runs twice: first, without the lock, to
     * ask the connector, then as the event that carries the answer. Validations are the most frequent work of an idle
     * reservoir, so one object serves for both. It is over when it is neither queued nor in flight.
     */
    private final class Validation
            implements Runnable,
                    Supplier<CompletionStage<Boolean>>,
                    BiConsumer<@Nullable Boolean, @Nullable Throwable> {
        private final Entry<T> entry;
        private final long timeoutNanos;
        private final @Nullable Supplier<CompletionStage<Boolean>> question;
        private final @Nullable Runnable whenUnanswered;
        private long begunNanos;
        private Time.@Nullable Timer timeout;
        private Time.@Nullable Timer patience;
        private int pauses;
        private volatile @Nullable Answer answer;

        /**
         * Not begun yet.
         *
         * @param question null for a validation
         * @param whenUnanswered runs if there is no answer in time; null for a validation, which then has failed
         */
        Validation(
                Entry<T> entry,
                long timeoutNanos,
                @Nullable Supplier<CompletionStage<Boolean>> question,
                @Nullable Runnable whenUnanswered) {
            this.entry = entry;
            this.timeoutNanos = timeoutNanos;
            this.question = question;
            this.whenUnanswered = whenUnanswered;
        }

        @Override
        public void run() {
            Answer came = answer;
            if (came == null) {
                SpiCalls.call(this, this);
            } else {
                answer(this, came);
            }
        }

        @Override
        public CompletionStage<Boolean> get() {
            return question == null ? connector.validate(entry.connection(), timeoutNanos) : question.get();
        }

        @Override
        public void accept(@Nullable Boolean works, @Nullable Throwable error) {
            answer =
                    error != null ? Answer.NOT_ASKED : Boolean.TRUE.equals(works) ? Answer.WORKS : Answer.DOES_NOT_WORK;
            eventLoop.post(this);
            // This comes last: if the answer cannot be posted, the timeout ends the validation.
            cancelTimers();
        }

        void cancelTimers() {
            cancel(timeout);
            cancel(patience);
        }

        private void cancel(Time.@Nullable Timer timer) {
            if (timer != null) {
                timer.cancel();
            }
        }
    }
}
