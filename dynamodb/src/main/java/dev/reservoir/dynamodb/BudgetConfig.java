package dev.reservoir.dynamodb;

import dev.reservoir.cluster.ClusterSettings;
import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.dynamodb.store.DsqlHosts;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings that two users of one budget in a process must agree on: where to count, and by which rules.
 *
 * @param name the key of the budget; a process has at most one budget for each name
 */
record BudgetConfig(
        String name,
        String endpoint,
        @Nullable String permitTable,
        @Nullable String leaseTable,
        @Nullable String region,
        @Nullable URI endpointOverride,
        String serviceName,
        @Nullable PermitMode permitMode,
        double ratePerSecond,
        int burst,
        String maxWait,
        @Nullable LeaseMode leaseMode,
        int limit,
        String leaseTime,
        String whenAway,
        @Nullable Double localRatePerSecond,
        @Nullable Integer expectedProcesses) {

    static BudgetConfig of(
            ClusterSettings settings,
            @Nullable String permitTable,
            @Nullable String leaseTable,
            @Nullable String region,
            @Nullable URI endpointOverride) {
        // Only the items of the counter mode contain the endpoint as it was given.
        String endpoint = settings.leaseMode() == LeaseMode.COUNTER ? settings.endpoint() : settings.cluster();
        // The items of the window mode contain the host. Budgets that count in such items under different names are
        // different.
        boolean asGo = settings.leaseMode() == LeaseMode.COUNTER || settings.permitMode() == PermitMode.WINDOW;
        return new BudgetConfig(
                asGo ? settings.hostName() : settings.cluster(),
                endpoint,
                permitTable,
                leaseTable,
                region == null && endpointOverride == null ? DsqlHosts.regionOf(settings.cluster()) : region,
                endpointOverride,
                settings.serviceName(),
                settings.permitMode(),
                settings.ratePerSecond(),
                settings.burst(),
                settings.maxWait().toString(),
                settings.leaseMode(),
                settings.limit(),
                settings.leaseTime().toString(),
                settings.whenAway().toString(),
                settings.localRatePerSecond(),
                settings.expectedProcesses());
    }

    /** Describes in what this configuration differs from the other, for an error message. */
    String differences(BudgetConfig other) {
        List<String> all = new ArrayList<>();
        for (RecordComponent component : BudgetConfig.class.getRecordComponents()) {
            try {
                Object mine = component.getAccessor().invoke(this);
                Object others = component.getAccessor().invoke(other);
                if (!Objects.equals(mine, others)) {
                    all.add(component.getName() + " " + others + " and now " + mine);
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("bug: a component that cannot be read: " + component.getName(), e);
            }
        }
        return String.join(", ", all);
    }
}
