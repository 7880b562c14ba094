package dev.reservoir.dsql.tx;

import dev.reservoir.core.util.JmxBeans;
import dev.reservoir.core.util.Text;
import java.util.Map;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows transactions in JMX. If JMX rejects them, only a warning is logged. */
final class TransactionsJmx implements TransactionsMXBean {
    private static final Logger log = LoggerFactory.getLogger(Transactions.class);

    private final TransactionMetrics metrics;

    private TransactionsJmx(TransactionMetrics metrics) {
        this.metrics = metrics;
    }

    /** Returns the name under which JMX shows the transactions, or null if the registration failed. */
    static @Nullable ObjectName register(String name, TransactionMetrics metrics) {
        return JmxBeans.register(
                new TransactionsJmx(metrics),
                TransactionsMXBean.class,
                "Transactions",
                "name",
                name,
                e -> log.warn("Reservoir: transactions not shown in JMX  name={} error=\"{}\"", name, Text.oneLine(e)));
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
