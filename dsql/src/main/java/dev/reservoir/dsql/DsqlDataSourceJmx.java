package dev.reservoir.dsql;

import dev.reservoir.core.util.JmxBeans;
import dev.reservoir.core.util.Text;
import java.util.Map;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows a data source in JMX. If JMX rejects it, only a warning is logged. */
final class DsqlDataSourceJmx implements DsqlDataSourceMXBean {
    private static final Logger log = LoggerFactory.getLogger(DsqlDataSource.class);

    private final DsqlDataSource dataSource;

    private DsqlDataSourceJmx(DsqlDataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Returns the name under which JMX shows the data source, or null if the registration failed. */
    static @Nullable ObjectName register(DsqlDataSource dataSource) {
        return JmxBeans.registerNumbered(
                new DsqlDataSourceJmx(dataSource),
                DsqlDataSourceMXBean.class,
                "DsqlDataSource",
                "name",
                dataSource.name(),
                e -> log.warn(
                        "DSQL data source not shown in JMX  name={} error=\"{}\"", dataSource.name(), Text.oneLine(e)));
    }

    @Override
    public String getEndpoint() {
        return dataSource.endpoint();
    }

    @Override
    public String getUser() {
        return dataSource.tokens().user();
    }

    @Override
    public String getMode() {
        return dataSource.mode().name();
    }

    @Override
    public Map<String, Double> getMetrics() {
        return dataSource.metrics();
    }
}
