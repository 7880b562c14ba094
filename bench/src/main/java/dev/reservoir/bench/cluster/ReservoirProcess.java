package dev.reservoir.bench.cluster;

import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.core.Reservoir;
import dev.reservoir.core.Settings;
import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Permits;
import java.sql.Connection;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/** A process with a budget and a reservoir as in production. Adds nothing of its own. */
final class ReservoirProcess extends FleetProcess {
    /** A fixed number, so that every machine behaves the same. */
    private static final int LANES = 8;

    private final ClusterBudget budget;
    private final Reservoir<Connection> reservoir;

    ReservoirProcess(String name, MeasuredFleet fleet) {
        super(name, fleet);
        FleetPlan plan = fleet.plan;
        this.budget = ClusterBudget.start(
                ClusterSettings.builder(fleet.cluster)
                        .host(name)
                        .permitMode(plan.side().permits)
                        .ratePerSecond(plan.ratePerSecond())
                        .burst(plan.burst())
                        .leaseMode(plan.side().leases)
                        .limit(LIMIT)
                        .leaseTime(plan.leaseTime())
                        .sharedKeyPrefix(GoItems.PREFIX)
                        .logged(false)
                        .build(),
                store,
                store,
                time,
                fleet.world.wallClock(),
                random.split());
        Permits permits = Objects.requireNonNull(budget.permits());
        this.reservoir = Reservoir.builder(fleet.database.connector(name))
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
    String member() {
        return budget.stats().member();
    }

    @Override
    CompletionStage<Void> leave() {
        return reservoir.closeAsync(Duration.ZERO).thenCompose(unused -> budget.leave());
    }
}
