package dev.reservoir.dsql;

import dev.reservoir.core.Text;
import java.lang.management.ManagementFactory;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows transactions in JMX. A JMX that does not want them costs a warning and nothing else. */
final class TransactionsBean implements TransactionsMXBean {
    private static final Logger log = LoggerFactory.getLogger(Transactions.class);

    private final TransactionMetrics metrics;

    private TransactionsBean(TransactionMetrics metrics) {
        this.metrics = metrics;
    }

    /** Where they were registered, or null if that failed. */
    static @Nullable ObjectName register(String name, TransactionMetrics metrics) {
        try {
            boolean plain = name.matches("[A-Za-z0-9._-]+");
            ObjectName where =
                    new ObjectName("dev.reservoir:type=Transactions,name=" + (plain ? name : ObjectName.quote(name)));
            StandardMBean bean = new StandardMBean(new TransactionsBean(metrics), TransactionsMXBean.class, true);
            ManagementFactory.getPlatformMBeanServer().registerMBean(bean, where);
            return where;
        } catch (JMException | RuntimeException e) {
            log.warn("Reservoir: transactions not shown in JMX  name={} error=\"{}\"", name, Text.oneLine(e));
            return null;
        }
    }

    static void unregister(@Nullable ObjectName where) {
        if (where != null) {
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(where);
            } catch (JMException | RuntimeException e) {
                log.debug("Reservoir: JMX bean was gone  bean={} error=\"{}\"", where, Text.oneLine(e));
            }
        }
    }

    @Override
    public long getConflicts() {
        return metrics.conflicts();
    }

    @Override
    public long getRetries() {
        return metrics.retries();
    }

    @Override
    public long getExhausted() {
        return metrics.exhausted();
    }

    @Override
    public Map<String, Double> getMetrics() {
        return metrics.asMetrics();
    }
}
