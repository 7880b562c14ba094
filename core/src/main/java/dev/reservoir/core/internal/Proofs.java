package dev.reservoir.core.internal;

import dev.reservoir.core.Settings;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Time;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;

/**
 * Finds out whether connections that stand idle, or are under suspicion, still work. Proofs run side by side up to a bound, each
 * with a time-out; a connection is nobody's to lend until it has been proven. All state is guarded by the keeper's lock.
 *
 * @param <T> the connection
 */
final class Proofs<T> {
    private final Control control;
    private final Time time;
    private final Settings settings;
    private final Connector<T> connector;
    private final Outcome<T> outcome;
    private final Queue<Entry<T>> queue = new ArrayDeque<>();
    private final Set<Proof<T>> inFlight = new LinkedHashSet<>();

    Proofs(Control control, Time time, Settings settings, Connector<T> connector, Outcome<T> outcome) {
        this.control = control;
        this.time = time;
        this.settings = settings;
        this.connector = connector;
        this.outcome = outcome;
    }

    /** What a proof showed. Called under the lock; the keeper owns the entry. */
    @FunctionalInterface
    interface Outcome<T> {
        void proven(Entry<T> entry, boolean works, long begunNanos);
    }

    /** Connections that are being proven or wait for it. */
    int pending() {
        return inFlight.size() + queue.size();
    }

    /** Connections that have been asked so long ago and have not answered, with those that wait behind them. */
    int unansweredFor(long nanos) {
        long now = time.nanos();
        int hang = 0;
        for (Proof<T> proof : inFlight) {
            if (now - proof.begunNanos >= nanos) {
                hang++;
            }
        }
        return hang == settings.provesInFlightMax() ? pending() : hang;
    }

    /** Proves an entry that the keeper owns. */
    void prove(Entry<T> entry) {
        entry.proving = true;
        queue.add(entry);
        startNext();
    }

    /** Forgets an entry that is being proven or waits for it: it is about to be closed, and no answer matters any more. */
    void drop(Entry<T> entry) {
        entry.proving = false;
        if (!queue.remove(entry)) {
            inFlight.removeIf(proof -> {
                boolean same = proof.entry == entry;
                if (same) {
                    proof.timer.cancel();
                }
                return same;
            });
        }
        startNext();
    }

    /** Waits for no answer any more and begins no proof: the connections are about to be closed. */
    void abandonAll() {
        queue.clear();
        inFlight.forEach(proof -> proof.timer.cancel());
        inFlight.clear();
    }

    private void startNext() {
        while (inFlight.size() < settings.provesInFlightMax() && !queue.isEmpty()) {
            Proof<T> proof = new Proof<>(queue.remove(), time.nanos());
            inFlight.add(proof);
            proof.timer = time.schedule(settings.proveTimeoutNanos(), () -> control.post(() -> answer(proof, false)));
            control.later(() -> Seam.call(
                    () -> connector.prove(proof.entry.connection(), settings.proveTimeoutNanos()), (works, error) -> {
                        proof.timer.cancel();
                        control.post(() -> answer(proof, Boolean.TRUE.equals(works)));
                    }));
        }
    }

    private void answer(Proof<T> proof, boolean works) {
        if (!inFlight.remove(proof)) {
            return;
        }
        proof.entry.proving = false;
        outcome.proven(proof.entry, works, proof.begunNanos);
        startNext();
    }

    /** One proof under way; answered once it is not among those in flight any more. */
    private static final class Proof<T> {
        private final Entry<T> entry;
        private final long begunNanos;
        private Time.Timer timer = () -> {};

        Proof(Entry<T> entry, long begunNanos) {
            this.entry = entry;
            this.begunNanos = begunNanos;
        }
    }
}
