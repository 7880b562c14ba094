package dev.reservoir.demo.fleet;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.ClusterBudget;
import dev.reservoir.core.Stats;
import dev.reservoir.core.time.SystemTime;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import javax.sql.DataSource;

/** A reservoir with a share of the cluster's budget, as in a production service. */
public final class ReservoirServicePool implements ServicePool {
    private static final Duration DRAIN = Duration.ofSeconds(3);

    private final String life;
    private final SystemTime time;
    private final ProcessStore store;
    private final ClusterBudget budget;
    private final DsqlDataSource dataSource;
    private final ReservoirDataSource reservoir;

    public ReservoirServicePool(String service, String life, EmulatedDatabase database, DemoDynamoDb coordinator)
            throws SQLException {
        this.life = life;
        time = new SystemTime("demo-budget-" + life);
        store = coordinator.store(time);
        budget = ClusterBudget.start(
                DemoDynamoDb.settings(service), store, store, time, InstantSource.system(), new SecureRandom());
        dataSource = database.builder(life)
                .maxOpen(Scale.CONNECTIONS)
                .permits(Objects.requireNonNull(budget.permits()))
                .leases(Objects.requireNonNull(budget.leases()))
                .reservoir(settings -> settings.driverProperties(EmulatedDatabase.socketsOf(life))
                        .baseLifetime(Scale.LIFETIME)
                        .lifetimeJitter(Scale.LIFETIME_JITTER)
                        .guardWindow(Scale.GUARD)
                        .serverAgeLimit(Scale.MAX_AGE, Scale.TRANSACTION)
                        .opensInFlightMax(Scale.OPENS_AT_ONCE)
                        .initialFillTimeout(Duration.ZERO)
                        .drainTimeout(DRAIN))
                .build();
        reservoir = dataSource.unwrap(ReservoirDataSource.class);
    }

    @Override
    public DataSource dataSource() {
        return dataSource;
    }

    @Override
    public Levels levels() {
        Stats stats = reservoir.stats();
        return new Levels(
                stats.opening(),
                stats.ready() + stats.validating(),
                stats.inUse(),
                stats.discards().values().stream().mapToLong(Long::longValue).sum(),
                stats.waiting(),
                stats.open() >= Scale.CONNECTIONS);
    }

    @Override
    public BudgetStats budget() {
        return budget.stats();
    }

    @Override
    public void crash() {
        store.die();
        ServiceSockets.cut(life);
        // Closes what remains in this process. Nothing reaches the budget any more, because the store is dead.
        dataSource.close();
        time.close();
        ServiceSockets.forget(life);
    }

    @Override
    public void close() {
        dataSource.close();
        budget.close();
        time.close();
        ServiceSockets.forget(life);
    }
}
