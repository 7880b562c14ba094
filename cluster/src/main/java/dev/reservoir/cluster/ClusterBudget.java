package dev.reservoir.cluster;

import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.core.Text;
import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One process's part in the budget of a cluster: permits to open connections and leases to hold them, counted over the whole
 * fleet. Any number of reservoirs of this process that connect to the same cluster share one object. No method blocks but
 * {@link #close}.
 */
public final class ClusterBudget implements Budget {
    /** How long {@link #close} waits, and for how long {@link #leave} tries to tell the others. */
    static final long CLOSE_NANOS = 5_000_000_000L;

    private final ClusterSettings settings;
    private final @Nullable Store permitStore;
    private final @Nullable Store leaseStore;
    private final Desk desk;
    private final StoreClock clock;
    private final Reach reach;
    private final @Nullable Seat seat;
    private final @Nullable Watch watch;
    private final @Nullable RationedPermits permits;
    private final @Nullable RationedLeases leases;
    private final AtomicBoolean saidNotTold = new AtomicBoolean();

    private ClusterBudget(
            ClusterSettings settings,
            @Nullable Store permitStore,
            @Nullable Store leaseStore,
            Time timers,
            InstantSource wallClock,
            RandomGenerator random) {
        this.settings = settings;
        ElapsedTime time = new ElapsedTime(timers, wallClock);
        this.desk = new Desk(time);
        this.permitStore = settings.permitMode() == null ? null : permitStore;
        this.leaseStore = settings.leaseMode() == null ? null : leaseStore;
        this.clock = new StoreClock(time, wallClock, settings.cluster(), settings.log());
        this.reach = new Reach(settings, time);
        Surroundings around = new Surroundings(settings, desk, time, clock, reach, random);
        Store home = this.leaseStore != null ? this.leaseStore : this.permitStore;
        if (home != null && (this.leaseStore != null || settings.permitMode() == PermitMode.RESERVATION)) {
            Calls calls = around.callsTo(home);
            Seat mine = new Seat(around, calls);
            Holding holding = this.leaseStore == null ? new Presence(around, calls) : leases(around, calls, mine);
            this.seat = mine;
            this.leases = holding instanceof RationedLeases rationed ? rationed : null;
            this.watch = new Watch(around, calls, mine, holding);
            desk.enter(() -> mine.start(holding));
            desk.enter(watch::start);
        } else {
            this.seat = null;
            this.leases = null;
            this.watch = null;
        }
        this.permits = this.permitStore == null ? null : permits(around, around.callsTo(this.permitStore));
    }

    private static RationedLeases leases(Surroundings around, Calls calls, Seat seat) {
        return around.settings().leaseMode() == LeaseMode.COUNTER
                ? new CounterLeases(around, calls, seat)
                : new ShareLeases(around, calls, seat);
    }

    private static RationedPermits permits(Surroundings around, Calls calls) {
        return around.settings().permitMode() == PermitMode.WINDOW
                ? new WindowPermits(around, calls)
                : new ReservationPermits(around, calls);
    }

    /**
     * Joins the fleet, in the background.
     *
     * @param permitStore where permits are counted; needed if {@link ClusterSettings#permitMode} is set
     * @param leaseStore where leases are counted; needed if {@link ClusterSettings#leaseMode} is set; may be the same
     * @param time timers, on which nothing may block
     * @param wallClock this machine's clock, which may be wrong
     * @param random for jitter and ids; used by one thread at a time
     */
    public static ClusterBudget start(
            ClusterSettings settings,
            @Nullable Store permitStore,
            @Nullable Store leaseStore,
            Time time,
            InstantSource wallClock,
            RandomGenerator random) {
        if (settings.permitMode() != null && permitStore == null) {
            throw new IllegalArgumentException("permits are rationed, but there is no store to count them in");
        }
        if (settings.leaseMode() != null && leaseStore == null) {
            throw new IllegalArgumentException("leases are rationed, but there is no store to count them in");
        }
        return new ClusterBudget(settings, permitStore, leaseStore, time, wallClock, random);
    }

    @Override
    public @Nullable Permits permits() {
        return permits;
    }

    @Override
    public @Nullable Leases leases() {
        return leases;
    }

    /** How things stand. Does not block. */
    public BudgetStats stats() {
        CompletableFuture<BudgetStats> stats = new CompletableFuture<>();
        desk.enter(() -> stats.complete(new BudgetStats(
                settings.cluster(),
                seat == null ? "" : seat.id(),
                watch == null ? 0 : watch.members(),
                reach.isAway(),
                clock.offNanos() / 1_000_000,
                permits == null ? null : permits.stats(),
                leases == null ? null : leases.stats(),
                calls())));
        return stats.join();
    }

    private StoreCounts calls() {
        StoreCounts counts = permitStore == null ? StoreCounts.NONE : permitStore.counts();
        return leaseStore == null || leaseStore == permitStore ? counts : counts.plus(leaseStore.counts());
    }

    /**
     * Starts to leave the fleet: everything is given back. To be called when the reservoirs are closed. Does not block. Tries for 5
     * seconds; what could not be given back by then is taken back by others, within the lease time.
     */
    public CompletionStage<Void> leave() {
        CompletableFuture<Void> left = new CompletableFuture<>();
        desk.enter(() -> {
            CompletionStage<Void> slots = permits == null ? CompletableFuture.completedFuture(null) : permits.close();
            if (leases != null) {
                leases.close();
            }
            if (watch != null) {
                watch.close();
            }
            CompletionStage<Boolean> told = seat == null ? CompletableFuture.completedFuture(true) : seat.leave();
            desk.later(() -> {
                var unused = told.thenCombine(slots, (isTold, done) -> {
                    if (!isTold) {
                        sayNotTold();
                    }
                    return left.complete(null);
                });
            });
        });
        return left;
    }

    /** Leaves the fleet and waits until that is done, for at most 5 seconds. Blocks. */
    @Override
    public void close() {
        try {
            leave().toCompletableFuture().get(CLOSE_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            sayNotTold();
        } catch (TimeoutException | ExecutionException e) {
            sayNotTold();
        }
    }

    private void sayNotTold() {
        if (!saidNotTold.compareAndSet(false, true)) {
            return;
        }
        settings.log()
                .warn(
                        "Reservoir: cluster budget not told of the end, others will take its leases back  endpoint={} within=\"{}\"",
                        settings.cluster(),
                        Text.nanos(settings.leaseTime().toNanos()));
    }
}
