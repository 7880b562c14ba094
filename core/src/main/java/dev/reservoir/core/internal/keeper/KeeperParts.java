package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.internal.calls.EngineSpi;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.calls.ProcessPauses;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.Gate;
import dev.reservoir.core.internal.checkout.ReadyStore;
import dev.reservoir.core.internal.checkout.WaitQueue;
import dev.reservoir.core.internal.opening.Closings;
import dev.reservoir.core.internal.opening.ConnectFailures;
import dev.reservoir.core.internal.opening.LeaseCount;
import dev.reservoir.core.internal.opening.Openings;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.internal.stats.EngineCounters;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Time;

/**
 * Wires the parts of a keeper. Most parts get only those that they use. {@link Keeper} and the few parts that deal with
 * all others get this object. Decides nothing. The keeper's lock guards the state of every part.
 *
 * @param <T> the connection
 */
final class KeeperParts<T> {
    final CurrentSettings settings;
    final EngineSpi<T> spi;
    final Gate gate;
    final EngineCounters counters;
    final State state;
    final EventLoop eventLoop;
    final ReadyStore<T> store;
    final WaitQueue<T> waiters;
    final Returns<T> returns;
    final Handovers<T> handovers;
    final ConnectFailures failures;
    final Closings<T> closings;
    final Openings<T> openings;
    final Validations<T> validations;
    final OpenConnections<T> openConnections;
    final Retirements<T> retirements;
    final Rescue<T> rescue;
    final UnansweredValidations<T> unanswered;
    final LeaseRecalls<T> recalls;
    final Trouble<T> trouble;
    final Scan<T> scan;
    final FillWatchers fillWatchers = new FillWatchers();
    final Shutdown<T> shutdown;
    final KeeperTimer timer;

    KeeperParts(Targets targets, CurrentSettings settings, EngineSpi<T> spi, Gate gate, EngineCounters counters) {
        this.settings = settings;
        this.spi = spi;
        this.gate = gate;
        this.counters = counters;
        Time time = spi.time();
        Settings now = settings.get();
        state = new State(targets);
        eventLoop = new EventLoop(time, spi.events());
        ProcessPauses pauses = new ProcessPauses(eventLoop, time);
        store = new ReadyStore<>(targets.maxOpen() + now.successorAllowanceFor(targets.maxOpen()), now.lanes());
        returns = new Returns<>(this);
        waiters = new WaitQueue<>(store, gate, time, now.waitersMax(), now.overtakingWindowNanos(), returns::setAside);
        handovers = new Handovers<>(eventLoop, store, waiters);
        failures = new ConnectFailures(settings, spi.random());
        LeaseCount leaseCount = new LeaseCount(eventLoop, this::leasesRecalled);
        closings = new Closings<>(eventLoop, spi, settings, leaseCount, counters);
        openings = new Openings<>(eventLoop, spi, settings, leaseCount, closings, new NewConnections<>(this));
        validations = new Validations<>(eventLoop, pauses, settings, spi.connector(), new ValidationOutcome());
        openConnections = new OpenConnections<>(settings);
        retirements =
                new Retirements<>(eventLoop, store, openConnections, validations, closings, spi.listeners(), counters);
        rescue = new Rescue<>(eventLoop, spi.connector(), store, openConnections, validations, retirements);
        unanswered = new UnansweredValidations<>(eventLoop, pauses, retirements);
        recalls = new LeaseRecalls<>(spi.leases(), leaseCount, eventLoop, gate, openings, openConnections, retirements);
        trouble = new Trouble<>(eventLoop, gate, store, openConnections, validations, retirements, handovers);
        scan = new Scan<>(settings, spi.permits(), store, openConnections, validations, retirements, trouble);
        shutdown = new Shutdown<>(this);
        timer = new KeeperTimer(eventLoop, pauses);
    }

    /** Connections that count towards the maximum: open, being opened, or closed a moment ago. */
    int counted() {
        return openConnections.size() + openings.opening() + retirements.openStill();
    }

    /** How many connections beyond the maximum may exist now. */
    int allowance(long nowNanos) {
        return failures.allowance(nowNanos, state.targets.maxOpen());
    }

    /** Whether a single connect must first show that the settings are right, before others begin. */
    boolean isFirstProbe() {
        return settings.get().failsFast() && counters.opened() == 0;
    }

    /**
     * Handles a recall of leases. It counts like a refusal, so the next request for a lease follows after a pause,
     * unless the source of leases queues requests. The batch decides which connections to retire.
     */
    private void leasesRecalled() {
        Leases leases = spi.leases();
        if (leases != null && leases.queuesRequests()) {
            return;
        }
        long now = eventLoop.nanos();
        OpenFailureReason reason = OpenFailureReason.LEASE_ACQUIRE;
        failures.failed(
                new ConnectFailures.Failure(reason, new OpenFailedException(reason, "leases were recalled", null)),
                now,
                now,
                false);
    }

    /** Handles a validation that has no answer for too long, by the keeper or by a caller. */
    void validationHangs(Entry<T> entry) {
        trouble.hangs(entry);
        if (waiters.waiting() > 0 && allowance(eventLoop.nanos()) == 0) {
            // No other connection may be opened in addition, and a waiter needs one.
            validations.giveUp(entry);
        }
    }

    /** The requests of callers to the keeper that stay in force. */
    static final class State {
        Targets targets;
        boolean paused;

        /** Runs without the lock when the first connect shows that the settings are wrong. Set before the start. */
        Runnable whenMisconfigured = () -> {};

        State(Targets targets) {
            this.targets = targets;
        }
    }

    private final class ValidationOutcome implements Validations.Outcome<T> {
        @Override
        public void validated(Entry<T> entry, Validations.Answer answer, long begunNanos) {
            if (answer == Validations.Answer.DOES_NOT_WORK && !entry.isGone()) {
                rescue.foundDead(eventLoop.nanos());
            }
            if (spi.listeners().wantsValidations()) {
                tellOfValidation(entry, answer == Validations.Answer.WORKS, eventLoop.nanos() - begunNanos);
            }
            trouble.validated(entry, answer, begunNanos);
            if (answer == Validations.Answer.WORKS) {
                unanswered.serverAnswered(begunNanos);
            }
        }

        private void tellOfValidation(Entry<T> entry, boolean works, long tookNanos) {
            eventLoop.later(
                    () -> spi.listeners().tellOfValidation(listener -> listener.validated(entry, works, tookNanos)));
        }

        @Override
        public void hangs(Entry<T> entry) {
            validationHangs(entry);
        }
    }
}
