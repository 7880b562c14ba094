package dev.reservoir.core.kit;

import dev.reservoir.core.Counts;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.ReservoirBuilder;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Stats;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A reservoir in a simulated world on virtual time. After every event the world checks the promises. The checker knows
 * every call that goes through the world.
 */
public final class World {
    private static final int EVENTS_MAX = 5_000_000;

    public final Violations violations = new Violations();
    public final VirtualTime clock = new VirtualTime();
    public final WatchedTime time = new WatchedTime(clock);
    public final ScriptedConnector connector = new ScriptedConnector(clock, violations);
    public final LedgerPermits permits;
    public final @Nullable LedgerLeases leases;
    public final PromiseChecker checker;
    public final Reservoir<Wire> reservoir;

    /**
     * Whether closes and validations end before their timeouts. Only then can a test see the engine's bounds on them
     * from outside.
     */
    public boolean closesAnswer = true;

    public boolean validationsAnswer = true;
    /** Whether futures complete when their waits end. Otherwise a test cannot see from outside when a wait ended. */
    final boolean completesAtOnce;

    private Targets targets;
    private int events;

    private World(Builder builder) {
        BugLog.clear();
        Settings settings = builder.settings.build();
        Permits inner = builder.ratePerSecond == Double.POSITIVE_INFINITY
                ? LocalPermits.unlimited()
                : new LocalPermits(builder.ratePerSecond, builder.burst, time);
        permits = new LedgerPermits(inner, violations);
        leases = builder.leaseLimit < 0 ? null : new LedgerLeases(builder.leaseLimit, clock, violations);
        if (leases != null) {
            leases.answerNanos = settings.leaseTimeoutNanos();
        }
        checker = new PromiseChecker(this, settings);
        targets = builder.targets;
        completesAtOnce = builder.callbacks != null;
        builder.script.accept(this);
        ReservoirBuilder<Wire> making = Reservoir.builder(connector)
                .name("orders")
                .targets(builder.targets)
                .settings(settings)
                .permits(permits)
                .leases(leases)
                .time(time)
                .random(new SplittableRandom(builder.seed))
                .callbacks(builder.callbacks == null ? time::execute : builder.callbacks);
        builder.listeners.forEach(making::listener);
        reservoir = making.listener(checker).build();
    }

    /** A world with a reservoir of this many connections. */
    public static Builder of(int maxOpen) {
        return new Builder(Targets.of(maxOpen));
    }

    public static Builder of(Targets targets) {
        return new Builder(targets);
    }

    public Counts counts() {
        return reservoir.counts();
    }

    public Stats stats() {
        Stats stats = reservoir.stats();
        checker.checkStats(stats);
        return stats;
    }

    // Time.

    /** Runs the next event and checks. Returns false if there is none up to and including the given time. */
    public boolean stepUntil(long untilNanos) {
        if (clock.nextDueNanos() > untilNanos) {
            return false;
        }
        if (++events > EVENTS_MAX) {
            throw new AssertionError("no end of events");
        }
        clock.step();
        checker.check();
        if (clock.nextDueNanos() > clock.nanos()) {
            checker.checkSettled();
        }
        return true;
    }

    public void advance(Duration by) {
        advanceTo(clock.nanos() + by.toNanos());
    }

    public void advanceMillis(long by) {
        advance(Duration.ofMillis(by));
    }

    public void advanceTo(long untilNanos) {
        while (stepUntil(untilNanos)) {
            // Each step checks the promises.
        }
        clock.advanceTo(untilNanos);
        checker.checkSettled();
    }

    /** Runs the events that are due now. */
    public void settle() {
        advanceTo(clock.nanos());
    }

    /** Moves the time until the condition holds. Fails if that takes longer than the limit. */
    public void advanceUntil(String what, Duration limit, Supplier<Boolean> condition) {
        long until = clock.nanos() + limit.toNanos();
        while (!condition.get()) {
            if (!stepUntil(until)) {
                throw new AssertionError("not within " + limit + ": " + what + ": " + counts());
            }
        }
    }

    /** Moves the time until this many connections are ready. */
    public World filled(int ready) {
        settle();
        advanceUntil(ready + " ready", Duration.ofHours(1), () -> counts().ready() >= ready);
        settle();
        return this;
    }

    // Calls. None of them may call the SPI on the caller's stack.

    public TestCheckout acquire(Duration timeout) {
        return acquire(timeout.toNanos());
    }

    public TestCheckout acquire(long timeoutNanos) {
        long since = clock.nanos();
        boolean free = mayTake();
        TestCheckout checkout = called(() -> {
            CompletableFuture<Pooled<Wire>> future = reservoir.acquireAsync(timeoutNanos);
            return new TestCheckout(future, since, Math.max(0, timeoutNanos));
        });
        if (checkout.isServed()) {
            overtook();
        } else if (free) {
            checker.foundNothing();
        }
        if (!checkout.isDone()) {
            checker.joined(checkout);
        }
        violations.throwIfAny();
        return checkout;
    }

    public @Nullable Pooled<Wire> tryAcquire() {
        boolean free = mayTake();
        Pooled<Wire> got = called(reservoir::tryAcquire);
        if (got != null) {
            overtook();
        } else if (free) {
            checker.foundNothing();
        }
        violations.throwIfAny();
        return got;
    }

    private void overtook() {
        if (completesAtOnce) {
            checker.overtook();
        }
    }

    /** Whether a newcomer has a right to any ready connection. */
    private boolean mayTake() {
        return counts().waiting() == 0 && !counts().paused() && !reservoir.isClosed();
    }

    /** Acquires a connection, which must be ready. */
    public Pooled<Wire> take() {
        Pooled<Wire> got = tryAcquire();
        if (got == null) {
            throw new AssertionError("none ready: " + counts());
        }
        return got;
    }

    public List<Pooled<Wire>> take(int count) {
        List<Pooled<Wire>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(take());
        }
        return all;
    }

    public void release(Pooled<Wire> pooled) {
        call(() -> reservoir.release(pooled));
    }

    public void discard(Pooled<Wire> pooled, DiscardReason reason) {
        call(() -> reservoir.discard(pooled, reason));
    }

    public void suspectAll() {
        checker.suspected();
        call(reservoir::suspectAll);
    }

    /** Lets the source of leases recall this many. Returns how many will come back. */
    public int recall(int count) {
        return called(() -> leases.recall(count));
    }

    public void setTargets(Targets value) {
        if (value.maxOpen() < targets.maxOpen()) {
            checker.lowered();
        }
        targets = value;
        call(() -> reservoir.setTargets(value));
    }

    /** Makes a call of any other kind. */
    public void call(Runnable call) {
        called(() -> {
            call.run();
            return true;
        });
    }

    private <R> R called(Supplier<R> call) {
        setCallerOnStack(true);
        try {
            return call.get();
        } finally {
            setCallerOnStack(false);
            checker.check();
        }
    }

    private void setCallerOnStack(boolean value) {
        connector.callerOnStack = value;
        if (leases != null) {
            leases.callerOnStack = value;
        }
    }

    /** Closes the reservoir, waits for the end, then lets all calls that hang end, and checks that nothing is left. */
    public void closeAndCheck(Duration drain) {
        CompletableFuture<Void> done = called(() -> reservoir.closeAsync(drain));
        long limit = drain.toNanos() + Duration.ofHours(2).toNanos();
        advanceUntil("closed", Duration.ofNanos(limit), done::isDone);
        settle();
        checkEnd();
    }

    /** For a reservoir whose close has completed: checks that nothing is left, and that nothing happens afterwards. */
    public void checkEnd() {
        checker.checkEnd(reservoir.stats());
        connector.releaseHung();
        if (leases != null) {
            leases.releaseHung();
        }
        for (int i = 0; i < 10_000 && clock.step(); i++) {
            violations.throwIfAny();
        }
        connector.releaseHung();
        if (leases != null) {
            leases.releaseHung();
        }
        for (int i = 0; i < 10_000 && clock.step(); i++) {
            violations.throwIfAny();
        }
        checker.checkLongAfterEnd(reservoir.stats());
        if (clock.nextDueNanos() != Long.MAX_VALUE) {
            throw new AssertionError("promise 9: something goes on after the end");
        }
    }

    /** Collects the parts of a world. */
    public static final class Builder {
        private final Targets targets;
        /** Background validation is off by default, so that tests can count validations. */
        private Settings.Builder settings = Settings.builder().validationInterval(Duration.ZERO);

        private double ratePerSecond = Double.POSITIVE_INFINITY;
        private int burst = 1;
        private int leaseLimit = -1;
        private long seed = 1;
        private @Nullable Executor callbacks;
        private final List<Listener<Wire>> listeners = new ArrayList<>();
        private Consumer<World> script = world -> {};

        private Builder(Targets targets) {
            this.targets = targets;
        }

        public Builder settings(Consumer<Settings.Builder> change) {
            change.accept(settings);
            return this;
        }

        public Builder settings(Settings.Builder value) {
            settings = value;
            return this;
        }

        public Builder rate(double perSecond, int burstMost) {
            ratePerSecond = perSecond;
            burst = burstMost;
            return this;
        }

        public Builder leases(int limit) {
            leaseLimit = limit;
            return this;
        }

        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /**
         * Futures complete on the stack of the thread that ends the wait. By default a task of the virtual time
         * completes them.
         */
        public Builder completesAtOnce() {
            return callbacks(Runnable::run);
        }

        public Builder callbacks(Executor value) {
            callbacks = value;
            return this;
        }

        public Builder listener(Listener<Wire> value) {
            listeners.add(value);
            return this;
        }

        /** Adds a preparation that runs before the reservoir starts. */
        public Builder script(Consumer<World> value) {
            script = script.andThen(value);
            return this;
        }

        public World build() {
            return new World(this);
        }
    }
}
