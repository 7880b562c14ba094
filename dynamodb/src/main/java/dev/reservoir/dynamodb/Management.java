package dev.reservoir.dynamodb;

import dev.reservoir.cluster.BudgetStats;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows a budget in JMX. A JMX that does not want it costs a warning and nothing else. */
final class Management implements ClusterBudgetMXBean {
    private static final Logger log = LoggerFactory.getLogger(DynamoBudget.class);

    private final Supplier<BudgetStats> stats;

    private Management(Supplier<BudgetStats> stats) {
        this.stats = stats;
    }

    /** Where it was registered, or null if that failed. */
    static @Nullable ObjectName register(String cluster, Supplier<BudgetStats> stats) {
        try {
            boolean plain = cluster.matches("[A-Za-z0-9._-]+");
            ObjectName where = new ObjectName(
                    "dev.reservoir:type=ClusterBudget,endpoint=" + (plain ? cluster : ObjectName.quote(cluster)));
            StandardMBean bean = new StandardMBean(new Management(stats), ClusterBudgetMXBean.class, true);
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            if (server.isRegistered(where)) {
                // That of a budget of this cluster that is just being closed.
                server.unregisterMBean(where);
            }
            server.registerMBean(bean, where);
            return where;
        } catch (JMException | RuntimeException e) {
            log.warn("Reservoir: cluster budget not shown in JMX  endpoint={} error=\"{}\"", cluster, e.toString());
            return null;
        }
    }

    static void unregister(@Nullable ObjectName where) {
        if (where != null) {
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(where);
            } catch (JMException | RuntimeException e) {
                log.debug("Reservoir: JMX bean was gone  bean={} error=\"{}\"", where, e.toString());
            }
        }
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
