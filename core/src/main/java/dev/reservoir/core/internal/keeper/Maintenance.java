package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.Gate;
import dev.reservoir.core.internal.checkout.ReadyStore;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks after connections that are open: finds those that are too old, idle, quiet or suspect, and has them retired or proven.
 * All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class Maintenance<T> implements Validations.Outcome<T> {
    private static final int GLANCES_MAX = 9;

    private final CurrentSettings settings;
    private final Time time;
    private final Permits permits;
    private final ReadyStore<T> store;
    private final Gate gate;
    private final OpenConnections<T> population;
    private final Validations<T> validations;
    private final Retirements<T> retirements;
    private final Rescue<T> rescue;
    private final BooleanSupplier hasNoAllowance;
    private final Consumer<Entry<T>> makeReady;

    /** How often in a row a suspect may go unasked before it counts as broken, and the pause between: some 10 seconds in all. */
    private static final int NOT_ASKED_MAX = 20;

    private static final long NOT_ASKED_PAUSE_NANOS = 500_000_000L;

    /** How long after a false alarm the next sign is not taken for more than it is. So at most one false alarm in this time. */
    private static final long FALSE_ALARM_NANOS = 60_000_000_000L;

    private int glancesLeft;

    private long nextValidationNanos;

    /** The last that was asked on behalf of all, and whether there was another sign since it was asked. */
    private @Nullable Entry<T> witness;

    private boolean asksAgain;

    /** The sign of trouble whose suspects are being validated. */
    private @Nullable Alarmed alarm;

    /** Until then a single broken connection does not make the others suspect. */
    private volatile long falseAlarmUntilNanos = Long.MIN_VALUE;

    /** No connection was suspect of the signs of trouble up to this one, when last looked at closely. */
    private long clearedNanos = Long.MIN_VALUE;

    /** Hands connections that have been proven to {@code makeReady}. */
    Maintenance(
            CurrentSettings settings,
            Time time,
            Permits permits,
            ReadyStore<T> store,
            Gate gate,
            OpenConnections<T> population,
            Validations<T> validations,
            Retirements<T> retirements,
            Rescue<T> rescue,
            BooleanSupplier hasNoAllowance,
            Consumer<Entry<T>> makeReady) {
        this.settings = settings;
        this.time = time;
        this.permits = permits;
        this.store = store;
        this.gate = gate;
        this.population = population;
        this.validations = validations;
        this.retirements = retirements;
        this.rescue = rescue;
        this.hasNoAllowance = hasNoAllowance;
        this.makeReady = makeReady;
    }

    /**
     * Most scans only look at ages: whether a connection has been used for minutes need not be asked each second. So that idleness
     * is seen to a sixteenth of what is asked for.
     */
    private static int glancesBetweenLooks(Settings settings) {
        long finest = Long.MAX_VALUE;
        if (settings.keepaliveNanos() > 0) {
            finest = settings.keepaliveNanos();
        }
        if (settings.idleTimeoutNanos() > 0) {
            finest = Math.min(finest, settings.idleTimeoutNanos());
        }
        return (int) Math.min(GLANCES_MAX, Math.max(0, finest / 16 / settings.scanIntervalNanos() - 1));
    }

    /** Looks after every connection, now and then. */
    void scan(long now, Targets targets, boolean ending) {
        validations.startNext();
        long trouble = gate.troubleNanos;
        boolean closely = --glancesLeft < 0 || population.marked() > 0 || trouble > clearedNanos;
        OpenConnections.Look<T> look = closely ? population.look(now, trouble, store) : population.glance(now);
        look.stray.forEach(entry -> retirements.retireInUse(entry, DiscardReason.LOST));
        if (closely) {
            glancesLeft = glancesBetweenLooks(settings.get());
            clearedNanos = look.suspect.isEmpty() ? trouble : clearedNanos;
        }
        for (Entry<T> entry : look.aged) {
            boolean expired = now >= entry.expiresNanos();
            retirements.retireAged(
                    entry, expired ? DiscardReason.EXPIRED_ON_SCAN : DiscardReason.EXPIRING_SOON_ON_SCAN);
        }
        for (Entry<T> entry : look.marked) {
            DiscardReason mark = entry.mark;
            if (mark != null && store.claim(entry)) {
                retirements.retire(entry, Retirements.resolved(entry, mark, now));
            }
        }
        if (!ending) {
            population.planSuccession(now, permits.ratePerSecond(), targets.maxOpen());
            if (closely) {
                trimIdle(now, targets);
            }
            // Suspects that came back from a loan: better now than at the next checkout.
            look.suspect.forEach(this::validateIfReady);
            keepAlive(look.quiet);
        }
    }

    private void trimIdle(long now, Targets targets) {
        if (settings.get().idleTimeoutNanos() == 0
                || population.size() <= Math.max(targets.minOpen(), targets.targetReady())) {
            return;
        }
        int surplus = Math.min(store.ready() - targets.targetReady(), population.size() - targets.minOpen());
        for (Entry<T> entry : population.snapshot()) {
            if (surplus <= 0) {
                return;
            }
            if (now - entry.unusedSinceNanos >= settings.get().idleTimeoutNanos() && store.claim(entry)) {
                retirements.retire(entry, DiscardReason.IDLE);
                surplus--;
            }
        }
    }

    private void keepAlive(List<Entry<T>> quiet) {
        // Never more than a quarter of what is ready at once: proofs must not empty the reservoir.
        int atOnce = Math.max(1, store.ready() / 4) - validations.pending();
        for (int i = 0; atOnce > 0 && i < quiet.size(); i++) {
            if (!quiet.get(i).gone && store.claim(quiet.get(i))) {
                validations.validate(quiet.get(i));
                atOnce--;
            }
        }
        if (atOnce <= 0 && !quiet.isEmpty()) {
            // There may be more of them: no glances before they have had their turn.
            glancesLeft = 0;
        }
    }

    // Signs of trouble, and whom they put under suspicion.

    /**
     * Once in an interval, validates the ready connection that has gone unvalidated longest. If it fails, or does not answer soon,
     * all are suspect: trouble is noticed though nobody uses the reservoir.
     */
    void validateOne(long now) {
        long interval = settings.get().validationIntervalNanos();
        nextValidationNanos = Math.min(nextValidationNanos, now + interval);
        if (interval > 0 && now >= nextValidationNanos) {
            nextValidationNanos = now + interval;
            inquire(now);
            Entry<T> longest = population.longestUnvalidated(store);
            // One that a caller used a moment ago has just shown that it works.
            if (longest != null && now - longest.shownAliveNanos() >= interval) {
                askWitness(longest);
            }
        }
    }

    /** Asks the server after those in use, if ready ones were found dead and one is there that works. */
    private void inquire(long now) {
        if (rescue.isInquiryDue(now)) {
            Entry<T> asking = population.lastValidated(store);
            if (asking != null && asking.validatedNanos >= gate.troubleNanos && store.claim(asking)) {
                rescue.inquire(asking, now);
            }
        }
    }

    /** When {@link #validateOne} has something to do again. */
    long nextValidationNanos() {
        return settings.get().validationIntervalNanos() > 0 ? nextValidationNanos : Long.MAX_VALUE;
    }

    /**
     * One connection is broken, or one connect failed. All others are suspect, unless that was a false alarm lately: then such
     * things happen to one connection at a time, and one of the others is asked on behalf of all.
     */
    void suspectOthers() {
        if (time.nanos() >= falseAlarmUntilNanos) {
            suspectAll();
        } else if (witness != null && witness.validating) {
            asksAgain = true;
        } else {
            askWitness();
        }
    }

    /** Whether a broken connection says nothing of the others. Read by callers without the lock, as a hint. */
    boolean isFalseAlarmLikely(long nowNanos) {
        return nowNanos < falseAlarmUntilNanos;
    }

    private void askWitness() {
        askWitness(population.longestUnvalidated(store));
    }

    private void askWitness(@Nullable Entry<T> longest) {
        if (witness != null && witness.validating) {
            return;
        }
        asksAgain = false;
        witness = null;
        if (longest != null && store.claim(longest)) {
            witness = longest;
            validations.validate(longest);
        }
    }

    /** Every connection that was last validated before now is suspect. */
    private void suspectAll() {
        gate.trouble(time.nanos());
        alarmed();
    }

    /** There was a sign of trouble: has the suspects validated, and sees then whether it was a false alarm. */
    void alarmed() {
        alarm = alarm == null ? new Alarmed() : alarm;
        falseAlarmUntilNanos = Long.MIN_VALUE;
        validateSuspects();
    }

    /** Has every ready connection validated that was last validated before the last sign of trouble. */
    void validateSuspects() {
        long trouble = gate.troubleNanos;
        for (Entry<T> entry : population.snapshot()) {
            if (entry.validatedNanos < trouble) {
                validateIfReady(entry);
            }
        }
    }

    private void validateIfReady(Entry<T> entry) {
        if (!entry.gone && !entry.validating && store.claim(entry)) {
            validations.validate(entry);
        }
    }

    @Override
    public void hangs(Entry<T> entry) {
        if (entry.validatedNanos >= gate.troubleNanos) {
            suspectAll();
        }
        if (gate.waiting > 0 && hasNoAllowance.getAsBoolean()) {
            // No other connection can be opened beside it, and somebody needs one.
            validations.giveUp(entry);
        }
    }

    @Override
    public void validated(Entry<T> entry, Validations.Answer answer, long begunNanos) {
        if (entry.gone) {
            return;
        }
        boolean wasSuspect = entry.validatedNanos < gate.troubleNanos;
        DiscardReason mark = entry.mark;
        if (answer == Validations.Answer.DOES_NOT_WORK) {
            retirements.retire(entry, DiscardReason.VALIDATION_FAILED);
            rescue.foundDead(time.nanos());
            if (wasSuspect) {
                count(false);
            } else {
                suspectAll();
            }
        } else if (mark != null) {
            retirements.retire(entry, Retirements.resolved(entry, mark, time.nanos()));
        } else if (answer == Validations.Answer.NOT_ASKED && wasSuspect) {
            askLater(entry);
        } else {
            if (answer == Validations.Answer.WORKS) {
                works(entry, begunNanos, wasSuspect);
            } else {
                entry.askedTwice = false;
                makeReady.accept(entry);
            }
        }
        if (entry == witness && asksAgain) {
            askWitness();
        }
    }

    /** If all suspects that could be asked have answered well, the sign of trouble concerned one connection only. */
    private void count(boolean works) {
        Alarmed counted = alarm;
        if (counted == null) {
            return;
        }
        counted.fine += works ? 1 : 0;
        counted.broken += works ? 0 : 1;
        if (validations.pending() == 0) {
            alarm = null;
            if (counted.broken == 0 && counted.fine > 0) {
                falseAlarmUntilNanos = time.nanos() + FALSE_ALARM_NANOS;
            }
        }
    }

    /** What validations showed since a sign of trouble. */
    private static final class Alarmed {
        private int fine;
        private int broken;
    }

    /**
     * It answered. If there was a sign of trouble after it was asked, the answer may be older than the trouble, so it is asked once
     * more. The second answer counts in any case: otherwise trouble that comes more often than an answer would never let it go.
     */
    private void works(Entry<T> entry, long begunNanos, boolean wasSuspect) {
        entry.timesNotAsked = 0;
        if (begunNanos >= gate.troubleNanos) {
            entry.validatedNanos = begunNanos;
        } else if (!entry.askedTwice) {
            entry.validatedNanos = begunNanos;
            entry.askedTwice = true;
            validations.validate(entry);
            return;
        } else {
            entry.validatedNanos = time.nanos();
        }
        entry.askedTwice = false;
        makeReady.accept(entry);
        if (wasSuspect) {
            count(true);
        }
    }

    /** A suspect that could not be asked: it is not handed out, and is asked again after a pause, a bounded number of times. */
    private void askLater(Entry<T> entry) {
        if (++entry.timesNotAsked > NOT_ASKED_MAX) {
            retirements.retire(entry, DiscardReason.VALIDATION_FAILED);
            return;
        }
        validations.validateAfter(NOT_ASKED_PAUSE_NANOS, entry);
    }
}
