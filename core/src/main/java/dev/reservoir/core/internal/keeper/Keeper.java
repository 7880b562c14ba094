package dev.reservoir.core.internal.keeper;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.RefillPacing;
import dev.reservoir.core.Targets;
import dev.reservoir.core.internal.calls.Callbacks;
import dev.reservoir.core.internal.calls.EngineSpi;
import dev.reservoir.core.internal.calls.EventLoop;
import dev.reservoir.core.internal.checkout.Entry;
import dev.reservoir.core.internal.checkout.Gate;
import dev.reservoir.core.internal.checkout.WaitQueue;
import dev.reservoir.core.internal.opening.Openings.Purpose;
import dev.reservoir.core.internal.opening.RefillPace;
import dev.reservoir.core.internal.stats.CurrentSettings;
import dev.reservoir.core.internal.stats.EngineCounters;
import dev.reservoir.core.spi.Permits.Urgency;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the reservoir full and its connections fresh. Opens the connections that the {@link Planner} finds missing, and
 * leaves the care of open connections to {@link Scan}, {@link Trouble} and {@link Retirements}. Never runs on the path
 * of an acquire or a release, and never waits for anything under its lock.
 *
 * <p><b>States.</b> A keeper starts, runs, and is closed once ({@link Shutdown}). While it runs, {@link #setPaused}
 * pauses and resumes it.
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
    private final KeeperParts<T> parts;
    private final EventLoop eventLoop;
    private final CurrentSettings settings;
    private final KeeperParts.State state;
    private final KeeperReports<T> reports;
    private final RefillPace pace = new RefillPace();
    private final SituationReader<T> situations;

    private long startNanos;
    private long nextScanNanos;

    /** Whether there are still connections beyond a maximum that was lowered. */
    private boolean lowered;

    /**
     * Whether opening more connections can help a checkout that found none ready. Callers read it without the lock, as
     * a hint.
     */
    private volatile boolean canGrow = true;

    /** Wires the parts. Nothing happens before {@link #start}. */
    public Keeper(Targets targets, CurrentSettings settings, EngineSpi<T> spi, Gate gate, EngineCounters counters) {
        this.settings = settings;
        parts = new KeeperParts<>(targets, settings, spi, gate, counters);
        eventLoop = parts.eventLoop;
        state = parts.state;
        reports = new KeeperReports<>(parts);
        situations = new SituationReader<>(parts, pace);
        eventLoop.afterBatch(this::act);
    }

    /**
     * Begins to fill the reservoir, after the random start delay.
     *
     * @param whenMisconfigured runs without the lock when {@link #isMisconfigured} becomes true
     */
    public void start(Runnable whenMisconfigured) {
        eventLoop.post(() -> {
            state.whenMisconfigured = whenMisconfigured;
            parts.recalls.attach();
            long delay = settings.get().startDelayMaxNanos();
            startNanos =
                    eventLoop.nanos() + (delay == 0 ? 0 : parts.spi.random().nextLong(delay));
            nextScanNanos = eventLoop.nanos() + settings.get().scanIntervalNanos();
        });
    }

    /** The wait queue that this keeper serves. */
    public WaitQueue<T> waiters() {
        return parts.waiters;
    }

    /** Takes connections that may not be handed out again. */
    public Returns<T> returns() {
        return parts.returns;
    }

    /** Consistent reports about the state of this keeper. */
    public KeeperReports<T> reports() {
        return reports;
    }

    // Events that callers post. None of these methods blocks, and only flush takes the lock, for a moment.

    /**
     * Handles a sign that connections are broken. All connections that were last validated before now are validated
     * again before they are handed out.
     */
    public void suspectAll() {
        parts.gate.trouble(eventLoop.nanos());
        eventLoop.post(parts.trouble::alarmed);
    }

    /**
     * Handles a connection that was found broken. All others are suspect. If the last such alarm was false and recent,
     * only one of them is validated.
     */
    public void suspectOthers() {
        if (parts.trouble.isFalseAlarmLikely(eventLoop.nanos())) {
            eventLoop.post(parts.trouble::suspectOthers);
        } else {
            suspectAll();
        }
    }

    /** Handles changed settings: the next scan runs at once. */
    public void settingsChanged() {
        eventLoop.post(() -> {
            nextScanNanos = Math.min(nextScanNanos, eventLoop.nanos());
            if (!settings.get().failsFast()) {
                parts.failures.clearMisconfiguration();
            }
        });
    }

    /** Whether no connection was ever opened, for a reason that only a change of settings can remove. */
    public boolean isMisconfigured() {
        return parts.failures.misconfiguration() != null;
    }

    /** Ends every wait for the first connections, if the keeper is still misconfigured. */
    public void failWaiters(RuntimeException error) {
        eventLoop.post(() -> {
            if (isMisconfigured()) {
                eventLoop.later(() -> parts.waiters.failAll(error));
                parts.fillWatchers.fail(error, eventLoop);
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
            if (!isClosing() && parts.unanswered.add(use, askedNanos, () -> callbacks.run(() -> lost.complete(null)))) {
                parts.validationHangs(entry);
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
            Targets before = state.targets;
            lowered |= value.maxOpen() < before.maxOpen();
            if (lowered || value.targetReady() < before.targetReady()) {
                // No permit should be spent on a connection that would be one too many. Attempts that are still wanted
                // begin again.
                parts.openings.cancelUnbegun();
            }
            if (value.maxOpen() > before.maxOpen()
                    || value.targetReady() > before.targetReady()
                    || value.minOpen() > before.minOpen()) {
                pace.end();
            }
            state.targets = value;
        });
    }

    public void setPaused(boolean value) {
        eventLoop.post(() -> {
            if (!isClosing() && state.paused != value) {
                state.paused = value;
                if (value) {
                    parts.openings.cancelUnbegun();
                }
                parts.handovers.bar(value);
            }
        });
    }

    /**
     * Retires a connection: now if it is ready, on release if it is in use. The mark is set at once, so that it is not
     * handed out again.
     */
    public void evict(Entry<T> entry) {
        entry.markIfUnmarked(DiscardReason.EVICTED);
        eventLoop.post(() -> parts.retirements.retireSoftly(entry, DiscardReason.EVICTED));
    }

    /**
     * Retires all connections that are open now. None of them is handed out after this. Connections that were opened
     * just now and whose event waits in the loop retire with that event.
     */
    public void flush() {
        long now = eventLoop.nanos();
        eventLoop
                .inspect(parts.openConnections::snapshot)
                .forEach(entry -> entry.markIfUnmarked(DiscardReason.EVICTED));
        eventLoop.post(() -> {
            for (Entry<T> entry : parts.openConnections.snapshot()) {
                if (entry.bornNanos() <= now) {
                    parts.retirements.retireSoftly(entry, DiscardReason.EVICTED);
                }
            }
        });
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
            RuntimeException closed = parts.shutdown.toWaiters();
            if (closed == null) {
                parts.fillWatchers.add(count, done, callbacks);
                if (isMisconfigured()) {
                    eventLoop.later(state.whenMisconfigured);
                }
            } else {
                eventLoop.later(() -> FillWatchers.run(callbacks, () -> done.completeExceptionally(closed)));
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
        eventLoop.post(() -> parts.shutdown.begin(drainNanos, toWaiters, done));
        return done;
    }

    private boolean isClosing() {
        return parts.shutdown.hasBegun();
    }

    // The batch.

    private void act() {
        long next = eventLoop.nanos() + settings.get().scanIntervalNanos();
        try {
            next = decideAndDo(eventLoop.nanos());
        } finally {
            // After any error, the timer must still be set for the next batch.
            if (parts.shutdown.isComplete()) {
                parts.timer.cancel();
            } else {
                parts.timer.setNoLaterThan(next);
            }
        }
    }

    /** Looks at the situation once and acts on the plan. Returns when to look again. */
    private long decideAndDo(long now) {
        maintain(now);
        double rate = parts.spi.permits().ratePerSecond();
        Planner.Plan plan = Planner.plan(
                situations.read(now, startNanos, rate), settings.get().scanIntervalNanos());
        if (isClosing()) {
            parts.shutdown.proceed(now);
        } else {
            pace.begun(plan.paced(), rate, state.targets, now);
            open(plan, now);
            retire(plan);
        }
        canGrow = parts.openConnections.size() + parts.openings.opening() < state.targets.maxOpen()
                || SituationReader.overflowMax(settings.get()) > 0;
        parts.handovers.endBatch();
        parts.fillWatchers.tell(parts.openConnections.size() - parts.openConnections.marked(), eventLoop);
        return nextLook(plan, now);
    }

    /** Takes care of open connections. */
    private void maintain(long now) {
        if (now >= nextScanNanos) {
            nextScanNanos = now + settings.get().scanIntervalNanos();
            parts.retirements.retry(now);
            parts.closings.retry();
            parts.scan.run(now, state.targets, isClosing());
        }
        if (!isClosing() && parts.scan.isValidationDue(now)) {
            parts.rescue.inquireIfDue(now, parts.gate.troubleNanos());
            parts.scan.validateOne(now);
        }
        parts.recalls.settle();
        if (settings.get().refillPacing() == RefillPacing.OFF) {
            pace.end();
        } else if (parts.openConnections.size() >= Math.max(state.targets.targetReady(), state.targets.minOpen())) {
            pace.begin();
        }
    }

    private void open(Planner.Plan plan, long now) {
        for (int i = 0; i < plan.open(); i++) {
            parts.openings.begin(Purpose.STAY, i < plan.urgent() ? Urgency.URGENT : Urgency.NORMAL);
        }
        for (int i = 0; i < plan.openOverflow(); i++) {
            parts.openings.begin(Purpose.OVERFLOW, Urgency.URGENT);
        }
        rescueWaiters(now);
        if (parts.unanswered.wantAnswer(now)) {
            openBeside(now);
        }
    }

    private void retire(Planner.Plan plan) {
        OpenConnections<T> all = parts.openConnections;
        if (plan.supersede() > 0) {
            parts.retirements.retireSome(all.agingConnections(), plan.supersede(), DiscardReason.SUPERSEDED);
        }
        if (plan.makeRoom() > 0) {
            parts.retirements.retireReady(all.agingConnections(), plan.makeRoom(), DiscardReason.SUPERSEDED);
        }
        shed(parts.rescue.retiring(plan.shed()));
    }

    /** Retires the connections beyond the maximum. */
    private void shed(int count) {
        OpenConnections<T> all = parts.openConnections;
        lowered = lowered && all.size() - all.marked() + parts.openings.opening() > state.targets.maxOpen();
        if (count == 0) {
            return;
        }
        if (lowered) {
            parts.retirements.retireSome(all.unmarked(Integer.MAX_VALUE), count, DiscardReason.RESERVOIR_FULL);
        } else {
            // Either a successor arrived whose predecessor was not due yet after all, or a connection was opened
            // because the validation of another hangs.
            List<Entry<T>> first = new ArrayList<>(parts.validations.hanging());
            first.addAll(all.unmarked(count));
            first.stream()
                    .distinct()
                    .limit(count)
                    .forEach(entry -> parts.retirements.retireSoftly(entry, DiscardReason.SUPERSEDED));
        }
    }

    /**
     * If callers wait and no connection in use is released, opens one more connection, within the successors'
     * allowance. It serves the oldest waiter, and shows whether the server still serves the connections in use.
     */
    private void rescueWaiters(long now) {
        long shutFrom = parts.gate.shutFromNanos();
        long oldestNanos = shutFrom < 0 || shutFrom > now ? now : shutFrom;
        if (parts.rescue.isWanted(now, parts.waiters.waiting(), oldestNanos, parts.counters)
                && parts.openConnections.size() >= state.targets.maxOpen()
                && openBeside(now)) {
            parts.rescue.helped(now);
        }
    }

    /**
     * Opens one connection that nobody requested, to see whether the server answers. Returns false if a connect is
     * under way already, or if there is no room.
     */
    private boolean openBeside(long now) {
        long mayOpenFromNanos = Math.max(startNanos, parts.failures.backoff().untilNanos(true));
        if (state.paused
                || now < mayOpenFromNanos
                || parts.openings.opening() > 0
                || parts.counted() >= state.targets.maxOpen() + parts.allowance(now)) {
            return false;
        }
        parts.openings.begin(Purpose.RESCUE, Urgency.URGENT);
        return true;
    }

    private long nextLook(Planner.Plan plan, long now) {
        long next = Math.min(plan.lookAgainNanos(), nextScanNanos);
        if (isClosing()) {
            next = Math.min(next, parts.shutdown.nextNanos());
        } else {
            next = Math.min(next, parts.scan.nextValidationNanos());
            if (parts.waiters.waiting() > 0) {
                next = Math.min(next, Math.max(now + 1, parts.rescue.nextLookNanos()));
            }
        }
        return plan.paced() > 0 && pace.fromNanos() > now ? Math.min(next, pace.fromNanos()) : next;
    }
}
