package dev.reservoir.sim.pools;

import dev.reservoir.core.Counts;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Pooled;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.ReservoirBuilder;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Time;
import dev.reservoir.sim.scenario.Scenario;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the production engine as a pool of the simulator. Never adds behaviour of its own, so a simulation shows what
 * the engine does.
 */
public final class EnginePool implements SimulatedPool {
    /** Number of lanes of the engine. Fixed, so that a simulation runs the same on every machine. */
    private static final int LANES = 8;

    private final Time time;
    private final Reservoir<Link> reservoir;

    public EnginePool(PoolContext around) {
        time = around.time();
        Scenario.Pool wanted = around.settings();
        ReservoirBuilder<Link> builder = Reservoir.builder(around.connector())
                .name(around.name())
                .targets(new Targets(wanted.maxOpen(), wanted.targetReady(), wanted.lowWatermark(), 0))
                .settings(settings(wanted))
                .time(around.time())
                .random(around.random())
                .permits(around.permits())
                .leases(around.leases())
                .callbacks(Runnable::run);
        builder.listener(telling(around.events()));
        around.listeners().forEach(builder::listener);
        reservoir = builder.build();
    }

    private static Listener<Link> telling(PoolEvents events) {
        return new Listener<>() {
            @Override
            public void opened(Pooled<Link> pooled, long openNanos) {
                events.opened(pooled.connection());
            }

            @Override
            public void discarded(Pooled<Link> pooled, DiscardReason reason, long remainingNanos) {
                events.discarded(pooled.connection(), reason);
            }

            @Override
            public void openFailed(OpenFailureReason reason, Throwable cause, int failuresInARow) {
                events.openFailed(reason);
            }

            @Override
            public void empty() {
                events.empty();
            }
        };
    }

    static Settings settings(Scenario.Pool wanted) {
        return Settings.builder()
                .baseLifetime(wanted.baseLifetime())
                .lifetimeJitter(wanted.jitter())
                .guardWindow(wanted.guardWindow())
                .connectTimeout(wanted.connectTimeout())
                .opensInFlightMax(wanted.opensInFlightMax())
                .successorAllowance(wanted.successorAllowance())
                .keepalive(wanted.keepalive())
                .refillPacing(wanted.refillPacing())
                .lanes(LANES)
                .build();
    }

    /** The engine itself, so that the promises can be checked. */
    public Reservoir<Link> reservoir() {
        return reservoir;
    }

    @Override
    public @Nullable Link tryTake() {
        return acquired(reservoir.tryAcquire());
    }

    private static @Nullable Link acquired(@Nullable Pooled<Link> pooled) {
        if (pooled == null) {
            return null;
        }
        Link link = pooled.connection();
        link.pooled = pooled;
        return link;
    }

    @Override
    public void take(long timeoutNanos, Consumer<@Nullable Link> then) {
        StageAnswers.hear(
                time, reservoir.acquireAsync(timeoutNanos), (pooled, failure) -> then.accept(acquired(pooled)));
    }

    @Override
    public void giveBack(Link link) {
        reservoir.release(pooled(link));
    }

    /**
     * Does what the JDBC door does when a statement fails on a broken connection: discards it and suspects the others.
     */
    @Override
    public void giveBackBroken(Link link) {
        reservoir.discard(pooled(link), DiscardReason.BAD);
        reservoir.suspectOthers();
    }

    private static Pooled<Link> pooled(Link link) {
        Pooled<Link> pooled = link.pooled;
        if (pooled == null) {
            throw new IllegalStateException("bug: " + link + " is released but was not in use");
        }
        return pooled;
    }

    @Override
    public void whenHolding(int count, Runnable then) {
        StageAnswers.hear(time, reservoir.whenReady(count), (nothing, closed) -> {
            if (closed == null) {
                then.run();
            }
        });
    }

    @Override
    public State state() {
        Counts c = reservoir.counts();
        return new State(c.ready(), c.inUse(), c.validating(), c.opening(), c.closing(), c.waiting());
    }

    @Override
    public void close(Runnable whenClosed) {
        StageAnswers.hear(time, reservoir.closeAsync(DRAIN), (nothing, failure) -> whenClosed.run());
    }
}
