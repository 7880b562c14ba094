package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.ReadyStore;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.spi.Permits;
import java.util.List;

/**
 * Finds open connections that are too old, idle, quiet or suspect, and has them retired or validated. Never opens or
 * closes one itself. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class Scan<T> {
    /** Most scans in a row that only check ages. So every tenth scan, at least, looks closely. */
    private static final int GLANCES_MAX = 9;

    private final CurrentSettings settings;
    private final Permits permits;
    private final ReadyStore<T> store;
    private final OpenConnections<T> openConnections;
    private final Validations<T> validations;
    private final Retirements<T> retirements;
    private final Trouble<T> trouble;

    private int glancesLeft;
    private long nextValidationNanos;

    /** At the last close look, no connection was suspect because of a sign of trouble at or before this time. */
    private long clearedNanos = Long.MIN_VALUE;

    Scan(
            CurrentSettings settings,
            Permits permits,
            ReadyStore<T> store,
            OpenConnections<T> openConnections,
            Validations<T> validations,
            Retirements<T> retirements,
            Trouble<T> trouble) {
        this.settings = settings;
        this.permits = permits;
        this.store = store;
        this.openConnections = openConnections;
        this.validations = validations;
        this.retirements = retirements;
        this.trouble = trouble;
    }

    /**
     * How many scans in a row only check ages, because it is enough to detect disuse over minutes less than once a
     * second. The result makes the error at most one sixteenth of the configured time.
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
    void run(long now, Targets targets, boolean closing) {
        validations.startNext();
        long troubleNanos = trouble.lastNanos();
        boolean closely = --glancesLeft < 0 || openConnections.marked() > 0 || troubleNanos > clearedNanos;
        OpenConnections.Look<T> look =
                closely ? openConnections.look(now, troubleNanos, store) : openConnections.scanAges(now);
        for (Entry<T> entry : look.stray) {
            retirements.retireInUse(entry, DiscardReason.LOST);
        }
        if (closely) {
            glancesLeft = glancesBetweenLooks(settings.get());
            clearedNanos = look.suspect.isEmpty() ? troubleNanos : clearedNanos;
        }
        for (Entry<T> entry : look.aged) {
            boolean expired = now >= entry.expiresNanos();
            retirements.retireAged(
                    entry, expired ? DiscardReason.EXPIRED_ON_SCAN : DiscardReason.EXPIRING_SOON_ON_SCAN);
        }
        for (Entry<T> entry : look.marked) {
            DiscardReason mark = entry.mark();
            if (mark != null && store.claim(entry)) {
                retirements.retire(entry, Retirements.resolved(entry, mark, now));
            }
        }
        if (!closing) {
            openConnections.planSuccession(now, permits.ratePerSecond(), targets.maxOpen());
            if (closely) {
                trimIdle(now, targets);
            }
            // These suspects were released since. To validate them now is better than at the next checkout.
            for (Entry<T> entry : look.suspect) {
                trouble.validateIfReady(entry);
            }
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
            if (now - entry.unusedSinceNanos() >= settings.get().idleTimeoutNanos() && store.claim(entry)) {
                retirements.retire(entry, DiscardReason.IDLE);
                surplus--;
            }
        }
    }

    private void keepAlive(List<Entry<T>> quiet) {
        // At most a quarter of the ready connections at once, so that validations do not empty the reservoir.
        int atOnce = Math.max(1, store.ready() / 4) - validations.pending();
        for (int i = 0; atOnce > 0 && i < quiet.size(); i++) {
            if (!quiet.get(i).isGone() && store.claim(quiet.get(i))) {
                validations.validate(quiet.get(i));
                atOnce--;
            }
        }
        if (atOnce <= 0 && !quiet.isEmpty()) {
            // More quiet connections may remain, so the next scan looks closely as well.
            glancesLeft = 0;
        }
    }

    /** Whether the interval between two calls of {@link #validateOne} has passed. If so, begins the next interval. */
    boolean isValidationDue(long now) {
        long interval = settings.get().validationIntervalNanos();
        nextValidationNanos = Math.min(nextValidationNanos, now + interval);
        boolean isDue = interval > 0 && now >= nextValidationNanos;
        if (isDue) {
            nextValidationNanos = now + interval;
        }
        return isDue;
    }

    /**
     * Validates the ready connection that was validated longest ago. If it fails, or does not answer soon, all are
     * suspect. So the reservoir notices trouble even if nobody uses it.
     */
    void validateOne(long now) {
        Entry<T> longest = openConnections.longestUnvalidated(store);
        // A connection that a caller used a moment ago has just shown that it works.
        if (longest != null && now - longest.shownAliveNanos() >= settings.get().validationIntervalNanos()) {
            trouble.askWitness(longest);
        }
    }

    /** When the next validation is due. */
    long nextValidationNanos() {
        return settings.get().validationIntervalNanos() > 0 ? nextValidationNanos : Long.MAX_VALUE;
    }
}
