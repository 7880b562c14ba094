package dev.reservoir.core.internal;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import java.util.List;
import java.util.function.Consumer;

/**
 * Looks after connections that are open: finds those that are too old, idle, quiet or suspect, and has them retired or proven.
 * All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class Upkeep<T> {
    private static final int GLANCES_MAX = 9;

    private final Settings settings;
    private final Time time;
    private final Permits permits;
    private final ReadyStore<T> store;
    private final Gate gate;
    private final Population<T> population;
    private final Proofs<T> proofs;
    private final Retirements<T> retirements;
    private final Consumer<Entry<T>> makeReady;

    /** Most scans only look at ages: whether a connection has been used for minutes need not be asked each second. */
    private final int glancesBetweenLooks;

    private int glancesLeft;

    /** No connection was suspect of the signs of trouble up to this one, when last looked at closely. */
    private long clearedNanos = Long.MIN_VALUE;

    /** Hands connections that have been proven to {@code makeReady}. */
    Upkeep(
            Settings settings,
            Time time,
            Permits permits,
            ReadyStore<T> store,
            Gate gate,
            Population<T> population,
            Proofs<T> proofs,
            Retirements<T> retirements,
            Consumer<Entry<T>> makeReady) {
        this.settings = settings;
        this.time = time;
        this.permits = permits;
        this.store = store;
        this.gate = gate;
        this.population = population;
        this.proofs = proofs;
        this.retirements = retirements;
        this.makeReady = makeReady;
        glancesBetweenLooks = glancesBetweenLooks(settings);
    }

    /** So that idleness is seen to a sixteenth of what is asked for. */
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
        long trouble = gate.troubleNanos;
        boolean closely = --glancesLeft < 0 || population.marked() > 0 || trouble > clearedNanos;
        Population.Look<T> look = closely ? population.look(now, trouble) : population.glance(now);
        if (closely) {
            glancesLeft = glancesBetweenLooks;
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
            look.suspect.forEach(this::proveIfReady);
            keepAlive(look.quiet);
        }
    }

    private void trimIdle(long now, Targets targets) {
        if (settings.idleTimeoutNanos() == 0
                || population.size() <= Math.max(targets.minOpen(), targets.targetReady())) {
            return;
        }
        int surplus = Math.min(store.ready() - targets.targetReady(), population.size() - targets.minOpen());
        for (Entry<T> entry : population.snapshot()) {
            if (surplus <= 0) {
                return;
            }
            if (now - entry.unusedSinceNanos >= settings.idleTimeoutNanos() && store.claim(entry)) {
                retirements.retire(entry, DiscardReason.IDLE);
                surplus--;
            }
        }
    }

    private void keepAlive(List<Entry<T>> quiet) {
        // Never more than a quarter of what is ready at once: proofs must not empty the reservoir.
        int atOnce = Math.max(1, store.ready() / 4) - proofs.pending();
        for (int i = 0; atOnce > 0 && i < quiet.size(); i++) {
            if (!quiet.get(i).gone && store.claim(quiet.get(i))) {
                proofs.prove(quiet.get(i));
                atOnce--;
            }
        }
        if (atOnce <= 0 && !quiet.isEmpty()) {
            // There may be more of them: no glances before they have had their turn.
            glancesLeft = 0;
        }
    }

    /** Has every ready connection proven that was last proven before the last sign of trouble. */
    void proveSuspects() {
        long trouble = gate.troubleNanos;
        for (Entry<T> entry : population.snapshot()) {
            if (entry.provenNanos < trouble) {
                proveIfReady(entry);
            }
        }
    }

    private void proveIfReady(Entry<T> entry) {
        if (!entry.gone && !entry.proving && store.claim(entry)) {
            proofs.prove(entry);
        }
    }

    /** A proof has ended. */
    void proven(Entry<T> entry, boolean works, long begunNanos) {
        if (entry.gone) {
            return;
        }
        DiscardReason mark = entry.mark;
        if (!works) {
            boolean wasSuspect = entry.provenNanos < gate.troubleNanos;
            retirements.retire(entry, DiscardReason.VALIDATION_FAILED);
            if (!wasSuspect) {
                gate.trouble(time.nanos());
                proveSuspects();
            }
        } else if (mark != null) {
            retirements.retire(entry, Retirements.resolved(entry, mark, time.nanos()));
        } else {
            entry.provenNanos = begunNanos;
            if (begunNanos < gate.troubleNanos) {
                proofs.prove(entry);
            } else {
                makeReady.accept(entry);
            }
        }
    }
}
