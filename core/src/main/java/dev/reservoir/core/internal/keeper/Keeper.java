package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.RefillPacing;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.internal.calls.Callbacks;
import dev.reservoir.core.internal.calls.EventDispatcher;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.calls.ListenerGuard;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.Gate;
import dev.reservoir.core.internal.checkout.ReadyStore;
import dev.reservoir.core.internal.checkout.WaitQueue;
import dev.reservoir.core.internal.opening.Backoff;
import dev.reservoir.core.internal.opening.Closings;
import dev.reservoir.core.internal.opening.LeaseCount;
import dev.reservoir.core.internal.opening.Openings;
import dev.reservoir.core.internal.opening.Openings.Purpose;
import dev.reservoir.core.internal.opening.RefillPace;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.internal.stats.EngineCounters;
import dev.reservoir.core.internal.stats.Nanos;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Leases.Lease;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Permits.Urgency;
import dev.reservoir.core.spi.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the reservoir full and its connections fresh. Opens the connections that the {@link Planner} finds missing, and
 * leaves the care of open connections to {@link Maintenance} and {@link Retirements}. Never runs on the path of an
 * acquire or a release, and never waits for anything under its lock.
 *
 * <p><b>States.</b> A keeper starts, runs, and is closed once. While it runs, {@link #setPaused} pauses and resumes it.
 * A closing keeper first drains: it retires ready connections at once and connections in use on release. At the
 * deadline it closes the rest under their callers. It is complete when no connection, opening, closing or lease is
 * left.
 *
 * <p><b>Who moves them.</b> Callers, timers and the SPI never change the state themselves. They post events to
 * {@link EventLoop}, which handles them in batches, under its lock. That lock guards all state of the keeper and its
 * parts. After each batch the keeper looks at the situation once, lets the planner decide, and acts on the plan. A scan
 * of all connections runs every {@code scanInterval}.
 *
 * <p><b>Why not react to each event.</b> The obvious keeper opens one connection for each one that leaves. Then a
 * missed event, an error or a change of targets makes the number wrong for good. This keeper recounts after each batch,
 * so the next batch corrects any mistake. The decisions are pure functions, so they can be tested without threads.
 *
 * @param <T> the connection
 */
public final class Keeper<T> {
    /** How long a connect that is attempted alone may go unanswered before another one begins. */
    private static final long PROBE_PATIENCE_NANOS = 1_000_000_000L;

    /** How long a validation may hang, while callers wait, before another connection is opened in addition. */
    private static final long VALIDATION_PATIENCE_NANOS = 100_000_000L;

    /**
     * How long the reservoir does without the successors' allowance after the server refused a successor because it was
     * full. In that time predecessors retire first. Ten minutes keep refused connects rare.
     */
    private static final long NO_ALLOWANCE_NANOS = 600_000_000_000L;

    private final CurrentSettings settings;
    private final Time time;
    private final RandomGenerator random;
    final ReadyStore<T> store;
    private final WaitQueue<T> waiters;
    private final Gate gate;
    private final ListenerGuard<T> listeners;
    final EngineCounters counters;
    private final EventLoop eventLoop;
    final Closings<T> closings;
    final Openings<T> openings;
    final Validations<T> validations;
    final Backoff backoff;
    final OpenConnections<T> openConnections;
    private final Retirements<T> retirements;
    private final LeaseRecalls<T> recalls;
    private final Maintenance<T> maintenance;

    Targets targets;
    private long startNanos;
    private long nextScanNanos;

    private final KeeperTimer timer;
    private final Permits permits;
    private final RefillPace pace = new RefillPace();
    private final Rescue<T> rescue;
    private final UnansweredValidations<T> unanswered;
    private long noAllowanceUntilNanos = Long.MIN_VALUE;
    boolean paused;
    private boolean lowered;

    /** Temporary connections that arrived in this batch. Each of them ends a wait as soon as the batch is done. */
    private int arrivedOverflow;

    /**
     * Waiters are served at the end of the batch, so that listeners are told of a new connection before a waiter gets
     * it.
     */
    private boolean madeReady;

    private boolean pauseChanged;

    private @Nullable Shutdown shutdown;

    @Nullable
    Failure lastFailure;

    private final FillWatchers fillWatchers = new FillWatchers();

    private final Runnable whenMisconfigured;

    private volatile @Nullable Failure misconfiguration;

    /**
     * Whether opening more connections can help a checkout that found none ready. Callers read it without the lock, as
     * a hint.
     */
    private volatile boolean canGrow = true;

    /** Wires the parts. Nothing happens before {@link #start}. */
    public Keeper(
            Targets targets,
            CurrentSettings settings,
            Time time,
            RandomGenerator random,
            Connector<T> connector,
            Permits permits,
            @Nullable Leases leases,
            ReadyStore<T> store,
            Gate gate,
            ListenerGuard<T> listeners,
            EngineCounters counters,
            EventDispatcher events,
            Runnable whenMisconfigured) {
        this.targets = targets;
        this.settings = settings;
        this.time = time;
        this.random = random;
        this.permits = permits;
        this.store = store;
        this.gate = gate;
        this.listeners = listeners;
        this.counters = counters;
        this.whenMisconfigured = whenMisconfigured;
        this.waiters = new WaitQueue<>(
                store, gate, time, settings.get().waitersMax(), settings.get().overtakingWindowNanos(), this::setAside);
        eventLoop = new EventLoop(time, events);
        LeaseCount leaseCount = new LeaseCount(eventLoop, this::recalled);
        closings = new Closings<>(eventLoop, time, settings, connector, leases, leaseCount, counters, events);
        openings = new Openings<>(
                eventLoop, time, settings, connector, permits, leases, leaseCount, closings, new OpenOutcome());
        validations = new Validations<>(eventLoop, time, settings, connector, new ValidationOutcome());
        timer = new KeeperTimer(time, eventLoop, validations::woke);
        backoff = new Backoff(settings.get().backoffBaseNanos(), settings.get().backoffMaxNanos(), random);
        openConnections = new OpenConnections<>(settings);
        retirements =
                new Retirements<>(eventLoop, time, store, openConnections, validations, closings, listeners, counters);
        rescue = new Rescue<>(eventLoop, time, connector, openConnections, validations, retirements);
        unanswered = new UnansweredValidations<>(eventLoop, time, validations, retirements);
        recalls = new LeaseRecalls<>(leases, leaseCount, eventLoop, gate, openings, openConnections, retirements);
        maintenance = new Maintenance<>(
                settings,
                time,
                permits,
                store,
                gate,
                openConnections,
                validations,
                retirements,
                rescue,
                () -> allowance(time.nanos()) == 0,
                this::makeReady);
        eventLoop.afterBatch(this::act);
    }

    private final class ValidationOutcome implements Validations.Outcome<T> {
        @Override
        public void validated(Entry<T> entry, Validations.Answer answer, long begunNanos) {
            maintenance.validated(entry, answer, begunNanos);
            if (answer == Validations.Answer.WORKS) {
                unanswered.serverAnswered(begunNanos);
            }
        }

        @Override
        public void hangs(Entry<T> entry) {
            maintenance.hangs(entry);
        }
    }

    /** The wait queue that this keeper serves. */
    public WaitQueue<T> waiters() {
        return waiters;
    }

    /** Begins to fill the reservoir, after the random start delay. */
    public void start() {
        eventLoop.post(() -> {
            recalls.attach();
            long delay = settings.get().startDelayMaxNanos();
            startNanos = time.nanos() + (delay == 0 ? 0 : random.nextLong(delay));
            nextScanNanos = time.nanos() + settings.get().scanIntervalNanos();
        });
    }

    // Events that callers post. None of these methods blocks or takes a lock.

    /** Takes a claimed connection that cannot be handed out: it is stale, marked or suspect. */
    public void setAside(Entry<T> entry, long nowNanos) {
        eventLoop.post(() -> {
            DiscardReason mark = entry.mark;
            if (mark != null) {
                retirements.retire(entry, Retirements.resolved(entry, mark, nowNanos));
            } else if (nowNanos >= entry.expiresNanos()) {
                retirements.retire(entry, DiscardReason.EXPIRED_ON_CHECKOUT);
            } else if (nowNanos >= entry.usableUntilNanos()) {
                retirements.retire(entry, DiscardReason.INSUFFICIENT_REMAINING_LIFETIME);
            } else if (!entry.gone) {
                validations.validate(entry);
            }
        });
    }

    /** Takes a released connection that is marked, or whose lease may have been recalled. */
    public void takeBack(Entry<T> entry) {
        eventLoop.post(() -> {
            DiscardReason mark = entry.mark;
            if (mark != null) {
                retirements.retire(entry, Retirements.resolved(entry, mark, time.nanos()));
            } else if (recalls.areOwed()) {
                // It is not made ready first: a newcomer could take it before the batch removes it again.
                retirements.retire(entry, DiscardReason.LEASE_RECALLED);
            } else {
                // Other connections have satisfied the recall meanwhile. The entry is not retired, because that would
                // have marked it.
                makeReady(entry);
            }
        });
    }

    /** Takes a connection in use that must not be used again. */
    public void discard(Entry<T> entry, DiscardReason reason) {
        eventLoop.post(() -> retirements.retire(entry, reason));
    }

    /**
     * Handles a sign that connections are broken. All connections that were last validated before now are validated
     * again before they are handed out.
     */
    public void suspectAll() {
        gate.trouble(time.nanos());
        eventLoop.post(maintenance::alarmed);
    }

    /**
     * Handles a connection that was found broken. All others are suspect. If the last such alarm was false and recent,
     * only one of them is validated.
     */
    public void suspectOthers() {
        if (maintenance.isFalseAlarmLikely(time.nanos())) {
            eventLoop.post(maintenance::suspectOthers);
        } else {
            suspectAll();
        }
    }

    /** Handles changed settings: the next scan runs at once. */
    public void settingsChanged() {
        eventLoop.post(() -> {
            nextScanNanos = Math.min(nextScanNanos, time.nanos());
            if (!settings.get().failsFast()) {
                misconfiguration = null;
            }
        });
    }

    /**
     * The reason why no connection was ever opened, if only a change of settings can help; otherwise null. Takes no
     * lock.
     */
    public @Nullable Failure misconfiguration() {
        return misconfiguration;
    }

    /** Ends every wait for the first connections. */
    public void failWaiters(RuntimeException error) {
        eventLoop.post(() -> {
            if (misconfiguration != null) {
                eventLoop.later(() -> waiters.failAll(error));
                fillWatchers.fail(error, eventLoop);
            }
        });
    }

    /**
     * Handles a validation by a caller that began at the given time and has no answer. That is a sign of trouble. If
     * the server answers others, the connection is closed under the caller and the future completes. The keeper opens
     * one more connection to find that out.
     *
     * @param callbacks completes the future
     */
    public CompletableFuture<Void> doubt(Entry<T> entry, long askedNanos, Callbacks callbacks) {
        CompletableFuture<Void> lost = new CompletableFuture<>();
        ConnectionUse<T> use = ConnectionUse.of(entry);
        eventLoop.post(() -> {
            if (shutdown == null && unanswered.add(use, askedNanos, () -> callbacks.run(() -> lost.complete(null)))) {
                maintenance.hangs(entry);
            }
        });
        return lost;
    }

    /** Reports that a checkout waits. */
    public void waiterJoined() {
        if (canGrow) {
            eventLoop.post(() -> {});
        }
    }

    public void setTargets(Targets value) {
        eventLoop.post(() -> {
            lowered |= value.maxOpen() < targets.maxOpen();
            if (lowered || value.targetReady() < targets.targetReady()) {
                // No permit should be spent on a connection that would be one too many. Attempts that are still wanted
                // begin again.
                openings.cancelUnbegun();
            }
            if (value.maxOpen() > targets.maxOpen()
                    || value.targetReady() > targets.targetReady()
                    || value.minOpen() > targets.minOpen()) {
                pace.end();
            }
            targets = value;
        });
    }

    public Targets targets() {
        return eventLoop.inspect(() -> targets);
    }

    public void setPaused(boolean value) {
        eventLoop.post(() -> {
            if (shutdown == null && paused != value) {
                paused = value;
                if (value) {
                    openings.cancelUnbegun();
                }
                pauseChanged = true;
            }
        });
    }

    /**
     * Retires a connection: now if it is ready, on release if it is in use. The mark is set at once, so that it is not
     * handed out again.
     */
    public void evict(Entry<T> entry) {
        if (entry.mark == null) {
            entry.mark = DiscardReason.EVICTED;
        }
        eventLoop.post(() -> retirements.retireSoftly(entry, DiscardReason.EVICTED));
    }

    /** Retires all connections that are open now. */
    public void flush() {
        eventLoop.post(
                () -> openConnections.snapshot().forEach(e -> retirements.retireSoftly(e, DiscardReason.EVICTED)));
    }

    /**
     * Completes when this many connections are ready or in use.
     *
     * @param callbacks completes the future; null if no foreign code is attached to it, so that the engine's thread may
     *     complete it
     */
    public CompletableFuture<Void> whenUsable(int count, @Nullable Callbacks callbacks) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        eventLoop.post(() -> {
            Shutdown ending = shutdown;
            if (ending == null) {
                fillWatchers.add(count, done, callbacks);
                Failure failure = misconfiguration;
                if (failure != null) {
                    eventLoop.later(whenMisconfigured);
                }
            } else {
                eventLoop.later(() -> FillWatchers.run(callbacks, () -> done.completeExceptionally(ending.toWaiters)));
            }
        });
        return done;
    }

    /**
     * Ends everything. Completes when nothing is left, at the latest some time after the deadline. The engine's thread
     * completes the future, so no foreign code may be attached to it.
     */
    public CompletableFuture<Void> close(long drainNanos, RuntimeException toWaiters) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        eventLoop.post(() -> {
            if (shutdown == null) {
                shutdown = new Shutdown(toWaiters);
                beginShutdown(toWaiters);
            }
            shutdown.waiting.add(done);
            shutdown.forceAtNanos = Math.min(shutdown.forceAtNanos, Nanos.sum(time.nanos(), drainNanos));
        });
        return done;
    }

    // The batch.

    private void act() {
        long next = time.nanos() + settings.get().scanIntervalNanos();
        try {
            next = decideAndDo(time.nanos());
        } finally {
            // After any error, the timer must still be set for the next batch.
            if (shutdown != null && shutdown.complete) {
                timer.cancel();
            } else {
                timer.setNoLaterThan(next);
            }
        }
    }

    /** Looks at the situation once and acts on the plan. Returns when to look again. */
    private long decideAndDo(long now) {
        if (now >= nextScanNanos) {
            nextScanNanos = now + settings.get().scanIntervalNanos();
            retirements.retry(now);
            closings.retry();
            maintenance.scan(now, targets, shutdown != null);
        }
        if (shutdown == null) {
            maintenance.validateOne(now);
        }
        recalls.settle();
        if (settings.get().refillPacing() == RefillPacing.OFF) {
            pace.end();
        } else if (openConnections.size() >= Math.max(targets.targetReady(), targets.minOpen())) {
            pace.begin();
        }
        double rate = permits.ratePerSecond();
        Plan plan = Planner.plan(situation(now, rate), settings.get().scanIntervalNanos());
        if (shutdown == null) {
            pace.begun(plan.paced(), rate, targets, now);
            for (int i = 0; i < plan.open(); i++) {
                openings.begin(Purpose.STAY, i < plan.urgent() ? Urgency.URGENT : Urgency.NORMAL);
            }
            for (int i = 0; i < plan.openOverflow(); i++) {
                openings.begin(Purpose.OVERFLOW, Urgency.URGENT);
            }
            rescueWaiters(now);
            if (unanswered.wantAnswer(now)) {
                openBeside(now);
            }
            retirements.retireSome(openConnections.agingConnections(), plan.supersede(), DiscardReason.SUPERSEDED);
            retirements.retireReady(openConnections.agingConnections(), plan.makeRoom(), DiscardReason.SUPERSEDED);
            shed(rescue.retiring(plan.shed()));
        } else {
            if (now >= shutdown.forceAtNanos && !shutdown.forced) {
                shutdown.forced = true;
                forceShutdown();
            }
            checkShutdown();
        }
        canGrow = openConnections.size() + openings.opening() < targets.maxOpen() || overflowMax() > 0;
        if (pauseChanged) {
            boolean bars = paused;
            eventLoop.later(() -> {
                waiters.bar(bars);
                waiters.serve();
            });
            pauseChanged = false;
        }
        if (madeReady && waiters.waiting() != 0) {
            eventLoop.later(waiters::serve);
        }
        madeReady = false;
        arrivedOverflow = 0;
        fillWatchers.tell(openConnections.size() - openConnections.marked(), eventLoop);
        long next = Math.min(plan.lookAgainNanos(), nextScanNanos);
        if (shutdown != null && !shutdown.forced) {
            next = Math.min(next, shutdown.forceAtNanos);
        }
        if (shutdown == null) {
            next = Math.min(next, maintenance.nextValidationNanos());
            next = waiters.waiting() > 0 ? Math.min(next, Math.max(now + 1, rescue.nextLookNanos())) : next;
        }
        return plan.paced() > 0 && pace.fromNanos() > now ? Math.min(next, pace.fromNanos()) : next;
    }

    /**
     * If callers wait and no connection in use is released, opens one more connection, within the successors'
     * allowance. It serves the oldest waiter, and shows whether the server still serves the connections in use.
     */
    private void rescueWaiters(long now) {
        long shutFrom = gate.shutFromNanos;
        long oldestNanos = shutFrom < 0 || shutFrom > now ? now : shutFrom;
        if (rescue.isWanted(now, waiters.waiting(), oldestNanos, counters)
                && openConnections.size() >= targets.maxOpen()
                && openBeside(now)) {
            rescue.helped(now);
        }
    }

    /**
     * Opens one connection that nobody requested, to see whether the server answers. Returns false if a connect is
     * under way already, or if there is no room.
     */
    private boolean openBeside(long now) {
        int counted = openConnections.size() + openings.opening() + retirements.openStill();
        boolean mayOpen = !paused && now >= Math.max(startNanos, backoff.untilNanos(true));
        if (!mayOpen || openings.opening() > 0 || counted >= targets.maxOpen() + allowance(now)) {
            return false;
        }
        openings.begin(Purpose.RESCUE, Urgency.URGENT);
        return true;
    }

    /**
     * How many connections beyond the maximum may exist now. A full server refuses them, so then the allowance is zero.
     */
    private int allowance(long now) {
        return now < noAllowanceUntilNanos ? 0 : settings.get().successorAllowanceFor(targets.maxOpen());
    }

    private Situation situation(long now, double ratePerSecond) {
        int ready = Math.min(store.ready(), openConnections.size());
        boolean probing = backoff.isProbing() || isFirstProbe();
        // A connect that hangs is no answer, so another attempt begins (promise 7).
        int hung = probing ? openings.unansweredFor(PROBE_PATIENCE_NANOS) : 0;
        int validating = Math.min(validations.pending(), openConnections.size() - ready);
        Situation.Builder s = new Situation.Builder(targets);
        s.nowNanos = now;
        s.allowance = allowance(now);
        s.ready = ready + validating;
        s.doubtful = Math.min(validating, validations.unansweredFor(doubtNanos()));
        s.inUse = Math.max(0, openConnections.size() - ready - validations.pending());
        s.marked = openConnections.marked();
        s.aging = openConnections.aging();
        s.opening = openings.opening();
        s.closing = retirements.openStill();
        s.waiting = Math.max(0, waiters.waiting() - arrivedOverflow);
        s.overflow = openConnections.overflow() + closings.openStill(Closings.Kind.OVERFLOW);
        s.openingOverflow = openings.openingOverflow();
        s.overflowMax = overflowMax();
        s.opensInFlightMax = opensAtOnce(probing, hung);
        s.mayOpenFromNanos = Math.max(startNanos, backoff.untilNanos(waiters.waiting() > 0));
        s.calmFromNanos = pace.fromNanos();
        s.calmAtOnce = pace.atOnce(ratePerSecond, targets, openings.opening());
        s.probing = probing && hung == 0;
        s.paused = paused || shutdown != null;
        return s.build();
    }

    /** Whether a single connect must first show that the settings are right, before others begin. */
    private boolean isFirstProbe() {
        return settings.get().failsFast() && counters.opened == 0;
    }

    private int opensAtOnce(boolean probing, int hung) {
        int most = settings.get().opensInFlightMax();
        return probing && hung > 0 ? Math.min(most, 1 + hung) : backoff.opensAtOnce(most);
    }

    /**
     * How long a validation may hang before another connection is opened in addition: a shorter time while callers
     * wait.
     */
    private long doubtNanos() {
        return waiters.waiting() > 0 ? VALIDATION_PATIENCE_NANOS : Validations.PATIENCE_NANOS;
    }

    private int overflowMax() {
        return settings.get().exhaustion() == Exhaustion.OVERFLOW
                ? settings.get().overflowMax()
                : 0;
    }

    private void makeReady(Entry<T> entry) {
        store.putBack(entry);
        madeReady = true;
    }

    // Retiring.

    /** Retires the connections beyond the maximum. */
    private void shed(int count) {
        lowered &= openConnections.size() - openConnections.marked() + openings.opening() > targets.maxOpen();
        if (count == 0) {
            return;
        }
        if (lowered) {
            retirements.retireSome(openConnections.unmarked(Integer.MAX_VALUE), count, DiscardReason.RESERVOIR_FULL);
        } else {
            // Either a successor arrived whose predecessor was not due yet after all, or a connection was opened
            // because the validation of another hangs.
            List<Entry<T>> first = new ArrayList<>(validations.hanging());
            first.addAll(openConnections.unmarked(count));
            first.stream().distinct().limit(count).forEach(e -> retirements.retireSoftly(e, DiscardReason.SUPERSEDED));
        }
    }

    // Opening.

    private final class OpenOutcome implements Openings.Outcome<T> {
        @Override
        public void opened(T connection, @Nullable Lease lease, Purpose purpose, long openNanos, long bornNanos) {
            Entry<T> entry;
            boolean beyond;
            // The entry is recorded first. Then the scan finds it, whatever fails afterwards.
            try {
                int counted = openConnections.size() + openings.opening() + retirements.openStill();
                beyond = purpose == Purpose.OVERFLOW && counted >= targets.maxOpen();
                entry = entry(connection, lease, bornNanos, beyond);
                if (!beyond) {
                    store.place(entry);
                }
                openConnections.add(entry);
            } catch (RuntimeException | Error e) {
                late(connection, lease, bornNanos);
                throw e;
            }
            eventLoop.later(() -> listeners.tell(l -> l.opened(entry, openNanos)));
            counters.opened++;
            misconfiguration = null;
            backoff.opened(bornNanos - openNanos);
            if (!backoff.isProbing()) {
                lastFailure = null;
            }
            validations.serverAnswered(bornNanos - openNanos);
            unanswered.serverAnswered(bornNanos - openNanos);
            counters.openTime.record(openNanos);
            openConnections.noteOpenTime(openNanos);
            if (beyond && recalls.areOwed()) {
                retirements.retire(entry, DiscardReason.LEASE_RECALLED);
            } else if (beyond) {
                entry.mark = DiscardReason.OVERFLOW;
                arrivedOverflow++;
                eventLoop.later(() -> {
                    if (!waiters.handNow(entry)) {
                        discard(entry, DiscardReason.OVERFLOW);
                    }
                });
            } else {
                boolean asks = purpose == Purpose.RESCUE && shutdown == null && rescue.ask(entry);
                if (!asks) {
                    makeReady(entry);
                }
            }
            if (shutdown != null) {
                retirements.retireSoftly(entry, DiscardReason.SHUTDOWN);
            }
        }

        @Override
        public void failed(OpenFailureReason reason, Throwable cause, long begunNanos) {
            counters.openFailures.merge(reason, 1L, Long::sum);
            boolean first = backoff.inARow(reason) == 0;
            long now = time.nanos();
            int inARow = backoff.failed(reason, begunNanos, now, waiters.waiting() > 0);
            lastFailure = new Failure(reason, cause);
            if (reason == OpenFailureReason.SERVER_FULL && openConnections.size() >= targets.maxOpen()) {
                noAllowanceUntilNanos = now + NO_ALLOWANCE_NANOS;
            }
            if (reason != OpenFailureReason.LEASE_ACQUIRE
                    && reason != OpenFailureReason.RATE_LIMIT
                    && reason != OpenFailureReason.TOKEN_PROVIDER) {
                // The network or the server has given another answer since.
                misconfiguration = null;
            }
            boolean isFinal = !(cause instanceof OpenFailedException told && told.isWorthAnotherTry());
            if (isFirstProbe() && reason.isMisconfiguration() && isFinal && shutdown == null) {
                misconfiguration = lastFailure;
                eventLoop.later(whenMisconfigured);
            }
            if (reason != OpenFailureReason.LEASE_ACQUIRE && reason != OpenFailureReason.RATE_LIMIT) {
                // The server refused. Attempts that have not reached it yet would get the same answer.
                openings.cancelUnbegun();
            }
            eventLoop.later(() -> listeners.tell(l -> l.openFailed(reason, cause, inARow)));
            // Only the first failure of a series counts. The others give no new information, and they would make
            // connections suspect again that have been validated since.
            if (first && reason.signOfTrouble() && shutdown == null) {
                maintenance.suspectOthers();
            }
        }

        private Entry<T> entry(T connection, @Nullable Lease lease, long bornNanos, boolean beyond) {
            Settings now = settings.get();
            long lifetime = now.baseLifetimeNanos() + (long) ((random.nextDouble() - 0.5) * now.lifetimeJitterNanos());
            return new Entry<>(connection, bornNanos, lifetime, now.guardWindowNanos(), beyond, lease);
        }

        @Override
        public void late(T connection, @Nullable Lease lease, long nowNanos) {
            counters.opened++;
            retirements.close(new Entry<>(connection, nowNanos, 0, 0, false, lease), DiscardReason.LATE);
        }

        @Override
        public void leased(long begunNanos) {
            backoff.leased(begunNanos);
        }

        @Override
        public void permitted(long begunNanos) {
            backoff.permitted(begunNanos);
        }
    }

    /**
     * Handles a recall of leases. It counts like a refusal, so the next request for a lease follows after a pause. The
     * batch decides which connections to retire.
     */
    private void recalled() {
        long now = time.nanos();
        backoff.failed(OpenFailureReason.LEASE_ACQUIRE, now, now, false);
        lastFailure = new Failure(
                OpenFailureReason.LEASE_ACQUIRE,
                new OpenFailedException(OpenFailureReason.LEASE_ACQUIRE, "leases were recalled", null));
    }

    // Closing.

    private void beginShutdown(RuntimeException toWaiters) {
        eventLoop.later(() -> {
            waiters.bar(true);
            waiters.failAll(toWaiters);
        });
        retirements.end();
        recalls.end();
        fillWatchers.fail(toWaiters, eventLoop);
        openings.cancelUnbegun();
        // The keeper owns the connections that are being validated, so it closes them at once.
        validations.abandonAll();
        openConnections.snapshot().forEach(e -> retirements.retireSoftly(e, DiscardReason.SHUTDOWN));
    }

    /**
     * The deadline has passed. Connections that are still in use are closed under their callers, and no connect is
     * awaited.
     */
    private void forceShutdown() {
        openings.abandonAll();
        validations.abandonAll();
        openConnections.everyone().forEach(e -> retirements.retire(e, DiscardReason.SHUTDOWN));
    }

    private void checkShutdown() {
        Shutdown ending = shutdown;
        for (Entry<T> entry : openConnections.snapshot()) {
            if (store.claim(entry)) {
                retirements.retire(entry, DiscardReason.SHUTDOWN);
            }
        }
        if (ending == null
                || openConnections.size() + openConnections.overflow() > 0
                || openings.opening() + openings.openingOverflow() > 0) {
            return;
        }
        // Connects that were given up are not awaited, but their leases are.
        openings.abandonAll();
        if (closings.pending() == 0 && !retirements.owesCloses()) {
            List<CompletableFuture<Void>> all = List.copyOf(ending.waiting);
            ending.waiting.clear();
            if (!ending.complete) {
                recalls.detach();
            }
            ending.complete = true;
            eventLoop.later(() -> all.forEach(f -> f.complete(null)));
        }
    }

    /** Reads a consistent view of the keeper's whole state. Takes the lock for a moment. */
    public <R> R inspect(Inspector<T, R> reader) {
        return eventLoop.inspect(() -> reader.read(new KeeperView<>(this)));
    }

    /** Reads a {@link KeeperView} under the keeper's lock. */
    @FunctionalInterface
    public interface Inspector<T, R> {
        R read(KeeperView<T> view);
    }

    /** The last connect that failed, if none has succeeded since. */
    public record Failure(OpenFailureReason reason, Throwable cause) {}

    private static final class Shutdown {
        private final RuntimeException toWaiters;
        private final List<CompletableFuture<Void>> waiting = new ArrayList<>();
        private long forceAtNanos = Long.MAX_VALUE;
        private boolean forced;
        private boolean complete;

        Shutdown(RuntimeException toWaiters) {
            this.toWaiters = toWaiters;
        }
    }
}
