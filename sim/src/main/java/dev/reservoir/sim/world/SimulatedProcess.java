package dev.reservoir.sim.world;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.sim.PoolKind;
import dev.reservoir.sim.pools.EnginePool;
import dev.reservoir.sim.pools.GoPool;
import dev.reservoir.sim.pools.Link;
import dev.reservoir.sim.pools.PlainPool;
import dev.reservoir.sim.pools.PoolContext;
import dev.reservoir.sim.pools.SimulatedPool;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One process of the fleet, with its pool, its token and its workload. Never starts again: a restart creates a new
 * process.
 */
final class SimulatedProcess implements Connector<Link> {
    final String name;
    final ServiceCounts service;
    final ProcessTime time;

    /** The connections of this process that are open at the database. */
    final Set<Link> links = new LinkedHashSet<>();

    /** The leases that were granted to this process and that it has not released. */
    final Set<String> leases = new LinkedHashSet<>();

    private final Fleet fleet;
    private final SimulatedPool pool;
    private final WorkloadRunner work;
    private final FleetCoordinator.Part part;
    private final TokenCache tokens;
    long connectsBegun;
    long permitsGranted;

    /** Closes in progress that take longer than the engine waits for a close. */
    int slowCloses;

    private int usable;

    /** Whether the process ever hung. If it did, the engine is not responsible for what happens late. */
    boolean stoodStill;

    private boolean full;
    private boolean over;
    private boolean dead;
    private boolean closed;

    SimulatedProcess(Fleet fleet, ServiceCounts service, String name, long seed) {
        this.fleet = fleet;
        this.service = service;
        this.name = name;
        Promises promises = fleet.promises;
        this.time = new ProcessTime(fleet.clock, promises == null ? null : () -> promises.touches(this));
        SplittableRandom random = new SplittableRandom(seed);
        this.tokens = new TokenCache(fleet, time, random.split());
        SplittableRandom ofPool = random.split();
        SplittableRandom ofWork = random.split();
        this.part = fleet.coordinator.partOf(this, random.split());
        PoolContext around = new PoolContext(
                name,
                service.service.pool(),
                time,
                ofPool,
                this,
                part.permits(),
                part.leases(),
                service.eventsOf(this),
                fleet.listenersOf(this));
        this.pool = pool(fleet.kind, around);
        this.work = new WorkloadRunner(this, service.service.workload(), pool, ofWork);
        service.target += service.service.pool().targetReady();
        pool.whenHolding(service.service.pool().targetReady(), this::filled);
    }

    private static SimulatedPool pool(PoolKind kind, PoolContext around) {
        return switch (kind) {
            case RESERVOIR -> new EnginePool(around);
            case GO_RESERVOIR -> new GoPool(around);
            case PLAIN -> new PlainPool(around);
        };
    }

    SimulatedPool pool() {
        return pool;
    }

    private void filled() {
        if (!over && !full) {
            full = true;
            service.countedTarget += service.service.pool().targetReady();
            service.countedUsable += usable;
            service.usableChanged(time.nanos());
            work.begin();
        }
    }

    SimulatedPool.State state() {
        return dead ? SimulatedPool.State.NONE : pool.state();
    }

    boolean isDead() {
        return dead;
    }

    /** Whether the process has died, or has closed its pool in order. */
    boolean isGone() {
        return dead || closed;
    }

    /** Whether the process has ended and the database holds no connection of it. */
    boolean isNothingLeft() {
        return isGone() && links.isEmpty();
    }

    /** Whether a checkout is still in the wait queue. */
    boolean hasWaiters() {
        return work.isWaiting();
    }

    // The connections that the pool holds, and how many of them are usable.

    void holds(Link link) {
        link.held = true;
        if (!link.broken) {
            usableChanges(1);
        }
    }

    void holdsNoMore(Link link) {
        if (link.held) {
            link.held = false;
            if (!link.broken) {
                usableChanges(-1);
            }
        }
    }

    /** Called when the database has dropped a connection that the pool holds. */
    void lostHeld() {
        usableChanges(-1);
    }

    private void usableChanges(int by) {
        usable += by;
        if (over) {
            return;
        }
        service.usable += by;
        if (full) {
            service.countedUsable += by;
        }
        service.usableChanged(fleet.clock.nanos());
    }

    /** Removes the process from the counts of its service. */
    private void leave() {
        if (over) {
            return;
        }
        over = true;
        service.target -= service.service.pool().targetReady();
        service.usable -= usable;
        if (full) {
            service.countedTarget -= service.service.pool().targetReady();
            service.countedUsable -= usable;
        }
        service.usableChanged(fleet.clock.nanos());
    }

    // The connector.

    @Override
    public CompletionStage<Link> open(long timeoutNanos) {
        connectsBegun++;
        return tokens.current().thenCompose(ok -> {
            if (!ok) {
                return CompletableFuture.failedFuture(
                        new OpenFailedException(OpenFailureReason.TOKEN_PROVIDER, "no token available", null));
            }
            return fleet.database.connect(this);
        });
    }

    @Override
    public CompletionStage<Boolean> validate(Link link, long timeoutNanos) {
        return fleet.database.validate(this, link);
    }

    @Override
    public CompletionStage<Void> close(Link link, DiscardReason reason) {
        return fleet.database.close(this, link, reason);
    }

    /** Whether the engine's promises are checked. */
    boolean isChecked() {
        return fleet.promises != null;
    }

    void brokePromise(int promise, String how) {
        if (fleet.promises != null) {
            fleet.promises.broke(promise, name + ": " + how);
        }
    }

    // Stopping, crashing and hanging.

    /** Stops in order: closes all connections and releases everything. */
    void stop() {
        leave();
        work.end();
        pool.close(() -> {
            closed = true;
            part.leave().run();
        });
    }

    /** Dies. The database drops its connections after a while, and the others take back its leases later. */
    void crash() {
        leave();
        dead = true;
        work.end();
        time.die();
        fleet.clock.start(
                fleet.scenario.database().crashNotice().toNanos(),
                () -> List.copyOf(links).forEach(fleet.database::drop));
        part.died().run();
    }

    /** Drops a connection that was opened for a process that has died. */
    void orphaned(Link link) {
        fleet.clock.start(fleet.scenario.database().crashNotice().toNanos(), () -> fleet.database.drop(link));
    }

    void stand() {
        stoodStill = true;
        time.stand();
    }

    void goOn() {
        time.goOn();
    }
}
