package dev.reservoir.bench.cluster;

import dev.reservoir.bench.cluster.CountingDatabase.Link;
import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.store.StoreCounts;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.time.SystemTime;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;

/** A process with a budget and a reservoir as in production. Adds nothing of its own. */
final class ReservoirProcess implements FleetProcess {
    /** The limit of leases, so large that no request is ever denied. */
    static final int LIMIT = 100_000;

    /** A fixed number, so that every machine behaves the same. */
    private static final int LANES = 8;

    private final String name;
    private final Time time;
    private final FleetStore store;
    private final ClusterBudget budget;
    private final Reservoir<Link> reservoir;

    ReservoirProcess(
            String name,
            String cluster,
            FleetPlan plan,
            World world,
            FleetStore store,
            Time time,
            CountingDatabase database) {
        this.name = name;
        this.time = time;
        this.store = store;
        SplittableRandom random = new SplittableRandom(world.nanos() * 1_000 + name.hashCode());
        this.budget = ClusterBudget.start(
                ClusterSettings.builder(cluster)
                        .host(name)
                        .permitMode(plan.side().permits())
                        .ratePerSecond(plan.ratePerSecond())
                        .burst(plan.burst())
                        .leaseMode(plan.side().leases())
                        .limit(LIMIT)
                        .leaseTime(plan.leaseTime())
                        .sharedKeyPrefix(GoItems.PREFIX)
                        .logged(false)
                        .build(),
                store,
                store,
                time,
                world.wallClock(),
                random.split());
        Permits permits = Objects.requireNonNull(budget.permits());
        this.reservoir = Reservoir.builder(database.connector(name))
                .name(name)
                .targets(Targets.of(plan.size()))
                .settings(Settings.builder()
                        .opensInFlightMax(plan.opensAtOnce())
                        .lanes(LANES)
                        .build())
                .time(time)
                .random(random)
                .permits(permits)
                .leases(budget.leases())
                .callbacks(time::execute)
                .build();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String member() {
        return budget.stats().member();
    }

    @Override
    public StoreCounts counts() {
        return store.counts();
    }

    @Override
    public CompletionStage<Void> leave() {
        return reservoir.closeAsync(Duration.ZERO).thenCompose(unused -> budget.leave());
    }

    @Override
    public void die() {
        store.die();
        if (time instanceof SystemTime real) {
            real.close();
        }
    }
}
