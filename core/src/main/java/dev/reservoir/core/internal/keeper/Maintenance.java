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
 * Takes care of open connections: finds those that are too old, idle, quiet or suspect, and has them retired or
 * validated. Never opens or closes one itself. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class Maintenance<T> implements Validations.Outcome<T> {
    /** Most scans in a row that only check ages. So every tenth scan, at least, looks closely. */
    private static final int GLANCES_MAX = 9;

    private final CurrentSettings settings;
    private final Time time;
    private final Permits permits;
    private final ReadyStore<T> store;
    private final Gate gate;
    private final OpenConnections<T> openConnections;
    private final Validations<T> validations;
    private final Retirements<T> retirements;
    private final Rescue<T> rescue;
    private final BooleanSupplier hasNoAllowance;
    private final Consumer<Entry<T>> makeReady;

    /**
     * How many times in a row the validation of a suspect may not be carried out before the connection counts as
     * broken, and the pause between the attempts. Together they allow about 10 seconds.
     */
    private static final int NOT_ASKED_MAX = 20;

    private static final long NOT_ASKED_PAUSE_NANOS = 500_000_000L;

    /**
     * How long after a false alarm a single broken connection makes no other suspect. So there is at most one false
     * alarm in this time.
     */
    private static final long FALSE_ALARM_NANOS = 60_000_000_000L;

    private int glancesLeft;

    private long nextValidationNanos;

    /**
     * The connection that was last validated on behalf of all, and whether there was another sign of trouble since its
     * validation began.
     */
    private @Nullable Entry<T> witness;

    private boolean asksAgain;

    /** The sign of trouble whose suspects are being validated. */
    private @Nullable Alarmed timer;

    /** Until this time a single broken connection does not make the others suspect. */
    private volatile long falseAlarmUntilNanos = Long.MIN_VALUE;

    /** At the last close look, no connection was suspect because of a sign of trouble at or before this time. */
    private long clearedNanos = Long.MIN_VALUE;

    /** Passes validated connections to {@code makeReady}. */
    Maintenance(
            CurrentSettings settings,
            Time time,
            Permits permits,
            ReadyStore<T> store,
            Gate gate,
            OpenConnections<T> openConnections,
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
        this.openConnections = openConnections;
        this.validations = validations;
        this.retirements = retirements;
        this.rescue = rescue;
        this.hasNoAllowance = hasNoAllowance;
        this.makeReady = makeReady;
    }

    /**
     * Most scans only check ages, because it is enough to detect disuse over minutes less than once a second. The
     * result makes the error at most one sixteenth of the configured time.
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

    /** Checks all connections. The keeper calls this every scan interval. */
    void scan(long now, Targets targets, boolean ending) {
        validations.startNext();
        long trouble = gate.troubleNanos;
        boolean closely = --glancesLeft < 0 || openConnections.marked() > 0 || trouble > clearedNanos;
        OpenConnections.Look<T> look =
                closely ? openConnections.look(now, trouble, store) : openConnections.scanAges(now);
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
            openConnections.planSuccession(now, permits.ratePerSecond(), targets.maxOpen());
            if (closely) {
                trimIdle(now, targets);
            }
            // These suspects were released since. To validate them now is better than at the next checkout.
            look.suspect.forEach(this::validateIfReady);
            keepAlive(look.quiet);
        }
    }

    private void trimIdle(long now, Targets targets) {
        if (settings.get().idleTimeoutNanos() == 0
                || openConnections.size() <= Math.max(targets.minOpen(), targets.targetReady())) {
            return;
        }
        int surplus = Math.min(store.ready() - targets.targetReady(), openConnections.size() - targets.minOpen());
        for (Entry<T> entry : openConnections.snapshot()) {
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
        // At most a quarter of the ready connections at once, so that validations do not empty the reservoir.
        int atOnce = Math.max(1, store.ready() / 4) - validations.pending();
        for (int i = 0; atOnce > 0 && i < quiet.size(); i++) {
            if (!quiet.get(i).gone && store.claim(quiet.get(i))) {
                validations.validate(quiet.get(i));
                atOnce--;
            }
        }
        if (atOnce <= 0 && !quiet.isEmpty()) {
            // More quiet connections may remain, so the next scan looks closely as well.
            glancesLeft = 0;
        }
    }

    // Signs of trouble, and which connections they make suspect.

    /**
     * Once per interval, validates the ready connection that was validated longest ago. If it fails, or does not answer
     * soon, all are suspect. So the reservoir notices trouble even if nobody uses it.
     */
    void validateOne(long now) {
        long interval = settings.get().validationIntervalNanos();
        nextValidationNanos = Math.min(nextValidationNanos, now + interval);
        if (interval > 0 && now >= nextValidationNanos) {
            nextValidationNanos = now + interval;
            inquire(now);
            Entry<T> longest = openConnections.longestUnvalidated(store);
            // A connection that a caller used a moment ago has just shown that it works.
            if (longest != null && now - longest.shownAliveNanos() >= interval) {
                askWitness(longest);
            }
        }
    }

    /**
     * Asks the server about the connections in use, if ready connections were found dead and a working one is ready.
     */
    private void inquire(long now) {
        if (rescue.isInquiryDue(now)) {
            Entry<T> asking = openConnections.lastValidated(store);
            if (asking != null && asking.validatedNanos >= gate.troubleNanos && store.claim(asking)) {
                rescue.inquire(asking, now);
            }
        }
    }

    /** When {@link #validateOne} has work again. */
    long nextValidationNanos() {
        return settings.get().validationIntervalNanos() > 0 ? nextValidationNanos : Long.MAX_VALUE;
    }

    /**
     * Handles one broken connection or one failed connect. All others are suspect, unless the last alarm was false and
     * recent. Then such failures concern one connection at a time, and one of the others is validated on behalf of all.
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

    /**
     * Whether a broken connection probably says nothing about the others. Callers read it without the lock, as a hint.
     */
    boolean isFalseAlarmLikely(long nowNanos) {
        return nowNanos < falseAlarmUntilNanos;
    }

    private void askWitness() {
        askWitness(openConnections.longestUnvalidated(store));
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

    /** Makes every connection suspect that was last validated before now. */
    private void suspectAll() {
        gate.trouble(time.nanos());
        alarmed();
    }

    /** Handles a sign of trouble: has the suspects validated, and then decides whether the alarm was false. */
    void alarmed() {
        timer = timer == null ? new Alarmed() : timer;
        falseAlarmUntilNanos = Long.MIN_VALUE;
        validateSuspects();
    }

    /** Validates every ready connection that was last validated before the last sign of trouble. */
    void validateSuspects() {
        long trouble = gate.troubleNanos;
        for (Entry<T> entry : openConnections.snapshot()) {
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
            // No other connection may be opened in addition, and a waiter needs one.
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

    /** If all suspects that could be validated work, the sign of trouble concerned only one connection. */
    private void count(boolean works) {
        Alarmed counted = timer;
        if (counted == null) {
            return;
        }
        counted.fine += works ? 1 : 0;
        counted.broken += works ? 0 : 1;
        if (validations.pending() == 0) {
            timer = null;
            if (counted.broken == 0 && counted.fine > 0) {
                falseAlarmUntilNanos = time.nanos() + FALSE_ALARM_NANOS;
            }
        }
    }

    /** The results of validations since a sign of trouble. */
    private static final class Alarmed {
        private int fine;
        private int broken;
    }

    /**
     * Handles an answer. If there was a sign of trouble after the validation began, the answer may be older than the
     * trouble, so the connection is validated once more. The second answer counts in any case. Otherwise a connection
     * could stay in validation for ever while signs of trouble come faster than answers.
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

    /**
     * Handles a suspect whose validation could not be carried out. It is not handed out, and is validated again after a
     * pause, a bounded number of times.
     */
    private void askLater(Entry<T> entry) {
        if (++entry.timesNotAsked > NOT_ASKED_MAX) {
            retirements.retire(entry, DiscardReason.VALIDATION_FAILED);
            return;
        }
        validations.validateAfter(NOT_ASKED_PAUSE_NANOS, entry);
    }
}
