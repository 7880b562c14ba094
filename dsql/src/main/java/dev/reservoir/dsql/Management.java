package dev.reservoir.dsql;

import java.lang.management.ManagementFactory;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows a data source in JMX. A JMX that does not want it costs a warning and nothing else. */
final class Management implements DsqlDataSourceMXBean {
    private static final Logger log = LoggerFactory.getLogger(DsqlDataSource.class);

    private final DsqlDataSource dataSource;

    private Management(DsqlDataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Where it was registered, or null if that failed. */
    static @Nullable ObjectName register(DsqlDataSource dataSource) {
        try {
            ObjectName where = new ObjectName("dev.reservoir:type=DsqlDataSource,name=" + dataSource.name());
            StandardMBean bean = new StandardMBean(new Management(dataSource), DsqlDataSourceMXBean.class, true);
            ManagementFactory.getPlatformMBeanServer().registerMBean(bean, where);
            return where;
        } catch (JMException | RuntimeException e) {
            log.warn("DSQL data source not shown in JMX  name={} error=\"{}\"", dataSource.name(), e.toString());
            return null;
        }
    }

    static void unregister(@Nullable ObjectName where) {
        if (where != null) {
            try {
                ManagementFactory.getPlatformMBeanServer().unregisterMBean(where);
            } catch (JMException | RuntimeException e) {
                log.debug("DSQL data source was gone from JMX  bean={} error=\"{}\"", where, e.toString());
            }
        }
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
