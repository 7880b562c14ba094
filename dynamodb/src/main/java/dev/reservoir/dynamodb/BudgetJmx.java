package dev.reservoir.dynamodb;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.core.util.JmxBeans;
import dev.reservoir.core.util.Text;
import java.util.Map;
import java.util.function.Supplier;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows a budget in JMX. If registration fails, it logs a warning and changes nothing else. */
record BudgetJmx(Supplier<BudgetStats> stats) implements ClusterBudgetMXBean {
    private static final Logger log = LoggerFactory.getLogger(DynamoBudget.class);

    /** Returns the name, or null if that failed. Replaces the bean of a budget that is just being closed. */
    static @Nullable ObjectName register(String cluster, Supplier<BudgetStats> stats) {
        return JmxBeans.replace(
                new BudgetJmx(stats),
                ClusterBudgetMXBean.class,
                "ClusterBudget",
                "endpoint",
                cluster,
                e -> log.warn(
                        "Reservoir: cluster budget not shown in JMX  endpoint={} error=\"{}\"",
                        cluster,
                        Text.oneLine(e)));
    }

    @Override
    public String getEndpoint() {
        return stats.get().endpoint();
    }

    @Override
    public String getMember() {
        return stats.get().member();
    }

    @Override
    public int getMembers() {
        return stats.get().members();
    }

    @Override
    public boolean isAway() {
        return stats.get().away();
    }

    @Override
    public long getClockOffMillis() {
        return stats.get().clockOffMillis();
    }

    @Override
    public Map<String, Double> getMetrics() {
        return stats.get().asMetrics();
    }
}
