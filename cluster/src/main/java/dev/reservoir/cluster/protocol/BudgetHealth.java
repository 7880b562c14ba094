package dev.reservoir.cluster.protocol;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.WhenAway;
import dev.reservoir.cluster.store.Store;
import dev.reservoir.core.spi.Time;
import dev.reservoir.core.util.Text;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The health of all stores of a budget. Permits and leases may be in two stores, and one of them may be away. Logs once
 * that a store cannot be reached, once that all can be reached again, and once each kind of call that a store refuses.
 * Never calls a store. Used only on the budget's serial executor.
 */
final class BudgetHealth {
    /** Number of different refusals that are remembered and logged. It bounds the memory and the log. */
    private static final int REFUSALS_MAX = 20;

    private final ClusterSettings settings;
    private final Time time;
    private final List<StoreHealth> stores = new ArrayList<>();
    private final Set<String> refusals = new HashSet<>();
    private long awaySinceNanos;

    BudgetHealth(ClusterSettings settings, Time time) {
        this.settings = settings;
        this.time = time;
    }

    /** Returns the health of this store. All users of the store share one object. */
    StoreHealth of(Store store) {
        for (StoreHealth known : stores) {
            if (known.isOf(store)) {
                return known;
            }
        }
        StoreHealth health = new StoreHealth(store, this, time, settings.whenAway() == WhenAway.LOCAL_SHARE);
        stores.add(health);
        return health;
    }

    /** Whether any of the stores is away. */
    boolean isAway() {
        return stores.stream().anyMatch(StoreHealth::isAway);
    }

    void logRefusal(String error) {
        if (refusals.size() < REFUSALS_MAX && refusals.add(error)) {
            BudgetContext.log(settings)
                    .warn(
                            "Reservoir: cluster budget refuses a call  endpoint={} error=\"{}\"",
                            settings.cluster(),
                            error);
        }
    }

    /** Logs that a store goes away, unless another one is away already. Call it before the store counts as away. */
    void logAway(String error) {
        if (isAway()) {
            return;
        }
        awaySinceNanos = time.nanos();
        BudgetContext.log(settings)
                .warn(
                        "Reservoir: cluster budget does not answer  endpoint={} meanwhile={} error=\"{}\"",
                        settings.cluster(),
                        settings.whenAway() == WhenAway.LOCAL_SHARE ? "local-share" : "stop",
                        error);
    }

    /** Logs that a store is back, unless another one is still away. Call it after the store counts as back. */
    void logBack() {
        if (isAway()) {
            return;
        }
        BudgetContext.log(settings)
                .info(
                        "Reservoir: cluster budget answers again  endpoint={} after=\"{}\"",
                        settings.cluster(),
                        Text.nanos(time.nanos() - awaySinceNanos));
    }
}
