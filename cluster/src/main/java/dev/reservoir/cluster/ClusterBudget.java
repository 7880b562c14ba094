package dev.reservoir.cluster;

import dev.reservoir.cluster.leases.CounterLeases;
import dev.reservoir.cluster.leases.MemberDuties;
import dev.reservoir.cluster.leases.QueuedLeases;
import dev.reservoir.cluster.leases.ShareLeases;
import dev.reservoir.cluster.membership.FailureDetector;
import dev.reservoir.cluster.membership.Membership;
import dev.reservoir.cluster.permits.QueuedPermits;
import dev.reservoir.cluster.permits.ReservationPermits;
import dev.reservoir.cluster.permits.WindowPermits;
import dev.reservoir.cluster.protocol.BudgetContext;
import dev.reservoir.cluster.protocol.ElapsedTime;
import dev.reservoir.cluster.protocol.SerialExecutor;
import dev.reservoir.cluster.protocol.StoreCalls;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The part of one process in the budget of a cluster: permits to open connections and leases to hold them open. Both
 * are counted over the whole fleet. All pools of this process that connect to the same cluster share one instance.
 * Never opens a connection. Only {@link #close} blocks.
 */
public final class ClusterBudget implements Budget {
    private final ClusterSettings settings;
    private final @Nullable Store permitStore;
    private final @Nullable Store leaseStore;
    private final SerialExecutor serial;
    private final BudgetContext context;
    private final @Nullable Membership membership;
    private final @Nullable FailureDetector failureDetector;
    private final @Nullable QueuedPermits permits;
    private final @Nullable QueuedLeases leases;
    private final AtomicBoolean notLeftLogged = new AtomicBoolean();

    private ClusterBudget(
            ClusterSettings settings,
            @Nullable Store permitStore,
            @Nullable Store leaseStore,
            Time timers,
            InstantSource wallClock,
            RandomGenerator random) {
        this.settings = settings;
        ElapsedTime time = new ElapsedTime(timers, wallClock);
        this.serial = new SerialExecutor(time);
        this.permitStore = settings.permitMode() == null ? null : permitStore;
        this.leaseStore = settings.leaseMode() == null ? null : leaseStore;
        this.context = new BudgetContext(settings, serial, time, wallClock, random);
        Store home = this.leaseStore != null ? this.leaseStore : this.permitStore;
        if (home != null && (this.leaseStore != null || settings.permitMode() == PermitMode.RESERVATION)) {
            StoreCalls calls = context.callsTo(home);
            Membership mine = new Membership(context, calls);
            MemberDuties holding =
                    this.leaseStore == null ? new MemberDuties(context, calls) : leases(context, calls, mine);
            this.membership = mine;
            this.leases = holding instanceof QueuedLeases rationed ? rationed : null;
            FailureDetector detector = new FailureDetector(context, calls, mine, holding);
            this.failureDetector = detector;
            this.permits = permits(context, this.permitStore);
            // From here on another thread may report that a store is away, so every part that listens must be complete.
            serial.enter(() -> mine.start(holding));
            serial.enter(detector::check);
        } else {
            this.membership = null;
            this.leases = null;
            this.failureDetector = null;
            this.permits = permits(context, this.permitStore);
        }
    }

    private static QueuedLeases leases(BudgetContext context, StoreCalls calls, Membership membership) {
        return context.settings().leaseMode() == LeaseMode.COUNTER
                ? new CounterLeases(context, calls, membership)
                : new ShareLeases(context, calls, membership);
    }

    private static @Nullable QueuedPermits permits(BudgetContext context, @Nullable Store store) {
        if (store == null) {
            return null;
        }
        StoreCalls calls = context.callsTo(store);
        return context.settings().permitMode() == PermitMode.WINDOW
                ? new WindowPermits(context, calls)
                : new ReservationPermits(context, calls);
    }

    /**
     * Joins the fleet, in the background. Does not block.
     *
     * @param permitStore the store that counts permits; required if {@link ClusterSettings#permitMode} is set
     * @param leaseStore the store that counts leases; required if {@link ClusterSettings#leaseMode} is set; may be the
     *     same
     * @param time runs the timers; nothing may block on them
     * @param wallClock this machine's clock, which may be wrong
     * @param random for jitter and ids; only one thread at a time uses it
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

    /** Returns the current state and counters. Does not block on the store. */
    public BudgetStats stats() {
        CompletableFuture<BudgetStats> stats = new CompletableFuture<>();
        serial.enter(() -> stats.complete(new BudgetStats(
                settings.metricPrefix(),
                settings.cluster(),
                membership == null ? "" : membership.id(),
                failureDetector == null ? 0 : failureDetector.members(),
                context.isAway(),
                context.clock().offNanos() / 1_000_000,
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
     * Starts to leave the fleet and gives everything back. Call it after the pools are closed. Does not block. The
     * budget tries for 5 seconds. The other processes take back within the lease time what could not be given back by
     * then.
     */
    public CompletionStage<Void> leave() {
        CompletableFuture<Void> left = new CompletableFuture<>();
        serial.enter(() -> {
            CompletionStage<Void> slots = permits == null ? CompletableFuture.completedFuture(null) : permits.close();
            if (leases != null) {
                leases.close();
            }
            if (failureDetector != null) {
                failureDetector.close();
            }
            CompletionStage<Boolean> told =
                    membership == null ? CompletableFuture.completedFuture(true) : membership.leave();
            serial.later(() -> {
                var unused = told.thenCombine(slots, (isTold, done) -> {
                    if (!isTold) {
                        logNotLeft();
                    }
                    return left.complete(null);
                });
            });
        });
        return left;
    }

    /** Leaves the fleet and waits for at most 5 seconds until that is done. Blocks. */
    @Override
    public void close() {
        if (!BudgetContext.awaitLeft(leave())) {
            logNotLeft();
        }
    }

    private void logNotLeft() {
        if (notLeftLogged.compareAndSet(false, true)) {
            context.log()
                    .warn(
                            "Reservoir: could not leave the cluster budget, other processes will take its leases back  endpoint={} within=\"{}\"",
                            settings.cluster(),
                            Text.nanos(settings.leaseTime().toNanos()));
        }
    }
}
