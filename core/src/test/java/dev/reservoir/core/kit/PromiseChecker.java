package dev.reservoir.core.kit;

import dev.reservoir.core.Counts;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.Exhaustion;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Stats;
import dev.reservoir.core.spi.Listener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the promises against the events, the simulated world and the engine's own numbers. It checks some at each
 * event, some after every step, some whenever nothing is left to do at a moment, and the rest at the end. It uses only
 * the engine's API.
 */
public final class PromiseChecker implements Listener<Wire> {
    private final World world;
    private final Violations violations;
    private final Settings settings;

    /** Every connection that has not been discarded, and whether it is in use. */
    private final Map<Pooled<Wire>, Boolean> inUse = new HashMap<>();

    /** Discarded connections for which no close was reported yet. */
    private final Map<Pooled<Wire>, DiscardReason> leaving = new HashMap<>();

    private final Deque<TestCheckout> queue = new ArrayDeque<>();
    private int countBefore;
    private int mostBefore;
    private long troubleNanos = Long.MIN_VALUE;
    private boolean loweredOnce;
    private int leasesLost;

    public int handedOutMost;
    public int openedHeard;
    public int waitsBegun;
    public int waitsEnded;
    public final Map<DiscardReason, Integer> discards = new EnumMap<>(DiscardReason.class);
    public final Map<OpenFailureReason, Integer> failures = new EnumMap<>(OpenFailureReason.class);

    /** Whether an error may end a release before listeners are told. The scan then finds the connection. */
    public boolean releasesBreakOff;

    PromiseChecker(World world, Settings settings) {
        this.world = world;
        this.violations = world.violations;
        this.settings = settings;
    }

    // Events from the engine.

    @Override
    public boolean wantsCheckouts() {
        return true;
    }

    @Override
    public void opened(Pooled<Wire> pooled, long openNanos) {
        openedHeard++;
        violations.require(inUse.put(pooled, false) == null, 5, "%s is opened twice", pooled);
    }

    @Override
    public void acquired(Pooled<Wire> pooled) {
        Boolean was = inUse.put(pooled, true);
        Wire wire = pooled.connection();
        long now = world.clock.nanos();
        violations.require(
                was != null && !was,
                5,
                "%s is handed out, but was %s",
                wire,
                was == null ? "already discarded" : "already in use");
        violations.require(
                now < pooled.usableUntilNanos(),
                2,
                "%s is handed out at %d, its guard window began at %d",
                wire,
                now,
                pooled.usableUntilNanos());
        violations.require(wire.closedFor == null, 5, "%s is handed out after its close began", wire);
        long validated = Math.max(wire.validatedNanos, pooled.bornNanos());
        // If a connection is validated twice in a row, the second answer counts, although it may be older than the last
        // sign of trouble.
        boolean answeredTwice = wire.answersSinceUse >= 2 && wire.answeredNanos >= troubleNanos;
        wire.answersSinceUse = 0;
        if (answeredTwice) {
            wire.validatedNanos = wire.answeredNanos;
        }
        violations.require(
                validated >= troubleNanos || answeredTwice || !world.completesAtOnce,
                2,
                "%s is handed out, validated at %d, suspect since %d",
                wire,
                validated,
                troubleNanos);
        handedOutMost = Math.max(handedOutMost, inUse());
    }

    @Override
    public void released(Pooled<Wire> pooled) {
        // After a forced close the reservoir has already removed it.
        inUse.computeIfPresent(pooled, (p, was) -> false);
    }

    @Override
    public void discarded(Pooled<Wire> pooled, DiscardReason reason, long remainingNanos) {
        Boolean was = inUse.remove(pooled);
        discards.merge(reason, 1, Integer::sum);
        // A connection that arrived late never belonged to the reservoir.
        violations.require(
                (was == null) == (reason == DiscardReason.LATE),
                5,
                "%s is discarded (%s) and was %s there",
                pooled,
                reason,
                was == null ? "not" : "already");
        violations.require(
                was == null
                        || !was
                        || reason == DiscardReason.SHUTDOWN
                        || reason == DiscardReason.UNRESPONSIVE
                        || (reason == DiscardReason.LOST && releasesBreakOff),
                10,
                "%s is discarded (%s) while it is in use",
                pooled,
                reason);
        violations.require(
                reason != DiscardReason.RESERVOIR_FULL || loweredOnce,
                10,
                "%s is one too many, though maxOpen was never lowered",
                pooled);
        long halfTime = (pooled.bornNanos() + pooled.usableUntilNanos()) / 2;
        // With jitter, a young connection may be the first to retire when a successor turns out to be one too many. A
        // connection that was opened because others did not answer, or were not released, is one too many when they do.
        violations.require(
                reason != DiscardReason.SUPERSEDED
                        || settings.lifetimeJitterNanos() > 0
                        || !world.connector.askedAfter.isEmpty()
                        || world.connector.validationsBegun > 0
                        || world.clock.nanos() >= halfTime,
                10,
                "%s is superseded at %d, before half of its time",
                pooled,
                world.clock.nanos());
        leaving.put(pooled, reason);
        if (world.leases != null) {
            world.leases.discarded(pooled.leaseId(), reason);
        }
    }

    @Override
    public void closed(Pooled<Wire> pooled, boolean leaseReleased) {
        violations.require(leaving.remove(pooled) != null, 5, "%s is closed without having been discarded", pooled);
        if (!leaseReleased) {
            leasesLost++;
        }
    }

    @Override
    public void openFailed(OpenFailureReason reason, Throwable cause, int failuresInARow) {
        failures.merge(reason, 1, Integer::sum);
        violations.require(failuresInARow >= 1, 7, "a failure counts as %d in a row", failuresInARow);
    }

    @Override
    public void waitBegan() {
        waitsBegun++;
    }

    @Override
    public void waitEnded(long waitedNanos, boolean served) {
        waitsEnded++;
        violations.require(waitedNanos >= 0, 6, "a wait of %d ns", waitedNanos);
    }

    // Events from the world.

    void suspected() {
        troubleNanos = world.clock.nanos();
    }

    void lowered() {
        loweredOnce = true;
    }

    void joined(TestCheckout checkout) {
        queue.add(checkout);
    }

    /** A newcomer got a connection at once. */
    void overtook() {
        TestCheckout oldest = oldestWaiting();
        if (oldest != null) {
            long waited = world.clock.nanos() - oldest.sinceNanos;
            violations.require(
                    waited < settings.overtakingWindowNanos(),
                    6,
                    "a newcomer overtakes one who has waited %d of %d ns",
                    waited,
                    settings.overtakingWindowNanos());
        }
    }

    /** A newcomer got nothing, although it had a right to a ready connection. */
    void foundNothing() {
        Counts now = world.counts();
        violations.require(now.ready() == 0, 2, "a checkout found nothing though %d are ready", now.ready());
    }

    // Checks after every step.

    void check() {
        Counts now = world.counts();
        checkCount(now);
        checkPermitsAndLeases(now);
        checkQueue();
        String bug = BugLog.first();
        if (bug != null) {
            violations.add(0, bug);
        }
        violations.throwIfAny();
    }

    private void checkCount(Counts now) {
        int count = now.size() + now.opening() - now.openingOverflow() + now.openStill();
        int most = now.targets().maxOpen()
                + settings.successorAllowanceFor(now.targets().maxOpen());
        // The count may exceed it only after maxOpen was lowered, and then it may only fall. One step may have added a
        // connection and lowered the maximum afterwards.
        int before = loweredOnce ? Math.max(countBefore, mostBefore) : 0;
        violations.require(count <= Math.max(most, before), 1, "%d, allowed %d: %s", count, most, now);
        countBefore = count;
        mostBefore = most;
        violations.require(
                now.ready() >= 0 && now.inUse() >= 0 && now.opening() >= 0 && now.closing() >= 0,
                1,
                "negative: %s",
                now);
        violations.require(
                now.opening() <= settings.opensInFlightMax(),
                7,
                "%d connects under way, allowed %d",
                now.opening(),
                settings.opensInFlightMax());
        int beyond = now.overflow() + now.openingOverflow();
        int beyondMost = settings.exhaustion() == Exhaustion.OVERFLOW ? settings.overflowMax() : 0;
        violations.require(beyond <= beyondMost, 1, "%d temporary ones, allowed %d: %s", beyond, beyondMost, now);
    }

    private void checkPermitsAndLeases(Counts now) {
        ScriptedConnector connector = world.connector;
        violations.require(
                connector.opensBegun <= world.permits.used(),
                4,
                "%d connects on %d permits",
                connector.opensBegun,
                world.permits.used());
        LedgerLeases leases = world.leases;
        if (leases != null) {
            int needed = now.size() + now.overflow() + now.opening() - now.waitingForLease();
            violations.require(
                    leases.out.size() >= needed, 4, "%d leases for %d connections", leases.out.size(), needed);
        }
        violations.require(
                connector.closesInFlightMost <= settings.closesInFlightMax() || !world.closesAnswer,
                5,
                "%d closes at once",
                connector.closesInFlightMost);
        violations.require(
                connector.validationsInFlightMost <= settings.validationsInFlightMax() || !world.validationsAnswer,
                3,
                "%d validations at once",
                connector.validationsInFlightMost);
    }

    private void checkQueue() {
        int waiting = world.counts().waiting();
        violations.require(waiting >= 0, 6, "%d waiting", waiting);
        violations.require(waiting <= settings.waitersMax(), 6, "%d in a queue of %d", waiting, settings.waitersMax());
        boolean someoneWaits = false;
        TestCheckout first = null;
        for (TestCheckout checkout : queue) {
            if (!checkout.isDone()) {
                someoneWaits = true;
                first = first == null ? checkout : first;
            } else if (someoneWaits && checkout.isServed()) {
                violations.add(
                        6, "served out of turn: one since " + checkout.sinceNanos + ", before " + first.sinceNanos);
            }
        }
        queue.removeIf(TestCheckout::isDone);
    }

    private @Nullable TestCheckout oldestWaiting() {
        for (TestCheckout checkout : queue) {
            if (!checkout.isDone()) {
                return checkout;
            }
        }
        return null;
    }

    /** Checks the conditions that hold whenever nothing is left to do at this moment. */
    void checkSettled() {
        long now = world.clock.nanos();
        Counts counts = world.counts();
        for (TestCheckout checkout : queue) {
            violations.require(
                    checkout.isDone() || checkout.deadlineNanos > now,
                    6,
                    "a checkout due at %d still waits at %d",
                    checkout.deadlineNanos,
                    now);
        }
        int waiting = counts.waiting();
        violations.require(waiting == waiting(), 6, "%d wait, the queue says %d", waiting(), waiting);
        violations.require(
                waiting == 0 || counts.ready() == 0 || counts.paused() || world.reservoir.isClosed(),
                6,
                "%d wait while %d are ready",
                waiting,
                counts.ready());
        if (!world.reservoir.isClosed()) {
            int inUse = inUse();
            if (world.leases != null) {
                world.leases.checkSettled(counts);
            }
            violations.require(counts.inUse() + counts.overflow() == inUse, 10, "%d in use, but %s", inUse, counts);
            violations.require(
                    counts.size() + counts.overflow() == this.inUse.size(),
                    5,
                    "%d heard of, but %s",
                    this.inUse.size(),
                    counts);
        }
        violations.throwIfAny();
    }

    void checkStats(Stats stats) {
        long gone = stats.discards().values().stream().mapToLong(n -> n).sum();
        violations.require(
                stats.opened() == gone + stats.open() + stats.overflow(), 5, "the statistics do not add up: %s", stats);
        violations.require(
                stats.closed() + stats.closing() >= gone && stats.closed() <= gone,
                5,
                "closes do not add up: %s",
                stats);
        violations.require(stats.opening() >= stats.waitingForLease() + stats.waitingForPermit(), 4, "%s", stats);
        violations.throwIfAny();
    }

    /** Checks the conditions that hold once the future of the close has completed. */
    void checkEnd(Stats stats) {
        violations.require(inUse.isEmpty(), 9, "left behind: %s", inUse);
        violations.require(leaving.isEmpty(), 9, "not closed: %s", leaving);
        violations.require(world.time.timers == 0, 9, "%d timers left", world.time.timers);
        violations.require(stats.open() + stats.overflow() + stats.opening() + stats.closing() == 0, 9, "%s", stats);
        violations.require(world.connector.open.isEmpty(), 9, "open: %s", world.connector.open);
        violations.require(waiting() == 0 && world.counts().waiting() == 0, 9, "%d still wait", waiting());
        LedgerLeases leases = world.leases;
        violations.require(
                leases == null || (leases.attached == 1 && leases.detached == 1 && leases.recall(1) == 0),
                9,
                "the source of leases was not told of the end, or not once");
        violations.require(waitsBegun == waitsEnded, 6, "%d waits began, %d ended", waitsBegun, waitsEnded);
        violations.require(stats.opened() == stats.closed(), 5, "%s", stats);
        violations.throwIfAny();
    }

    /** Called after the calls that hung have ended as well. */
    void checkLongAfterEnd(Stats stats) {
        violations.require(
                world.connector.arrived == world.connector.closesBegun,
                5,
                "%d arrived, %d closed",
                world.connector.arrived,
                world.connector.closesBegun);
        LedgerLeases leases = world.leases;
        if (leases != null) {
            violations.require(
                    leases.out.size() <= stats.leaseReleaseFailures(),
                    5,
                    "leases not given back: %s, of which %d failed for good",
                    leases.out,
                    stats.leaseReleaseFailures());
        }
        violations.require(world.time.timers == 0, 9, "%d timers left", world.time.timers);
        violations.require(
                world.permits.granted == world.permits.givenBack + world.permits.answered,
                4,
                "%d permits granted, %d given back, %d answered",
                world.permits.granted,
                world.permits.givenBack,
                world.permits.answered);
        violations.require(leasesLost <= stats.leaseReleaseFailures(), 5, "%d leases lost", leasesLost);
        violations.throwIfAny();
    }

    /** Connections in use, according to the events. */
    public int inUse() {
        int n = 0;
        for (boolean inUse : inUse.values()) {
            n += inUse ? 1 : 0;
        }
        return n;
    }

    /** Checkouts in the wait queue, as far as the tests know. */
    public int waiting() {
        int n = 0;
        for (TestCheckout checkout : queue) {
            n += checkout.isDone() ? 0 : 1;
        }
        return n;
    }
}
