package dev.reservoir.jdbc.pool;

import dev.reservoir.core.InUseReport;
import dev.reservoir.core.Stats;
import dev.reservoir.core.util.DurationText;
import dev.reservoir.core.util.EventDispatcher;
import dev.reservoir.core.util.JmxBeans;
import dev.reservoir.core.util.Text;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.ReservoirDataSourceMXBean;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows a running data source in JMX. If the registration fails, it logs a warning. Never makes a start fail. */
public final class DataSourceJmx extends LiveSettingsJmx implements ReservoirDataSourceMXBean {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);

    private DataSourceJmx(ReservoirDataSource dataSource) {
        super(dataSource);
    }

    /** Registers a data source. Returns its JMX name, or null if that failed, which {@code lines} logs. */
    public static @Nullable ObjectName register(ReservoirDataSource dataSource, String name, EventDispatcher lines) {
        try {
            return JmxBeans.register(
                    new DataSourceJmx(dataSource),
                    ReservoirDataSourceMXBean.class,
                    "ReservoirDataSource",
                    "name",
                    name,
                    e -> warn(name, e, lines));
        } catch (Error e) {
            // The classes of JMX are missing, or there is no memory for it. The data source runs without JMX.
            warn(name, e, lines);
            return null;
        }
    }

    private static void warn(String name, Throwable why, EventDispatcher lines) {
        lines.run(() -> log.warn("Reservoir: not shown in JMX  reservoir={} error=\"{}\"", name, Text.oneLine(why)));
    }

    private Stats stats() {
        return dataSource.stats();
    }

    @Override
    public String getName() {
        return String.valueOf(dataSource.getName());
    }

    // The targets are shown as the engine has them. A low watermark may have raised the ready target.

    @Override
    public int getMaxOpen() {
        return stats().targets().maxOpen();
    }

    @Override
    public int getTargetReady() {
        return stats().targets().targetReady();
    }

    @Override
    public int getLowWatermark() {
        return stats().targets().lowWatermark();
    }

    @Override
    public int getMinOpen() {
        return stats().targets().minOpen();
    }

    @Override
    public int getOpen() {
        return stats().open();
    }

    @Override
    public int getReady() {
        return stats().ready();
    }

    @Override
    public int getInUse() {
        return stats().inUse();
    }

    @Override
    public int getValidating() {
        return stats().validating();
    }

    @Override
    public int getOverflow() {
        return stats().overflow();
    }

    @Override
    public int getOpening() {
        return stats().opening();
    }

    @Override
    public int getClosing() {
        return stats().closing();
    }

    @Override
    public int getWaiting() {
        return stats().waiting();
    }

    @Override
    public boolean isPaused() {
        return stats().paused();
    }

    @Override
    public long getCheckouts() {
        return stats().checkouts();
    }

    @Override
    public long getEmpties() {
        return stats().empties();
    }

    @Override
    public long getTimeouts() {
        return stats().timeouts();
    }

    @Override
    public long getOpened() {
        return stats().opened();
    }

    @Override
    public long getClosed() {
        return stats().closed();
    }

    @Override
    public Map<String, Long> getDiscards() {
        Map<String, Long> byLabel = new TreeMap<>();
        stats().discards().forEach((reason, count) -> byLabel.put(reason.label(), count));
        return byLabel;
    }

    @Override
    public Map<String, Long> getOpenFailures() {
        Map<String, Long> byLabel = new TreeMap<>();
        stats().openFailures().forEach((reason, count) -> byLabel.put(reason.label(), count));
        return byLabel;
    }

    @Override
    public long getWaitP99Nanos() {
        return stats().waitTime().p99Nanos();
    }

    @Override
    public long getUseP99Nanos() {
        return stats().useTime().p99Nanos();
    }

    @Override
    public long getOpenP99Nanos() {
        return stats().openTime().p99Nanos();
    }

    @Override
    public void pause() {
        dataSource.pause();
    }

    @Override
    public void resume() {
        dataSource.resume();
    }

    @Override
    public void flush() {
        dataSource.flush();
    }

    @Override
    public void changePassword(String password) {
        change(() -> dataSource.setPassword(password));
    }

    @Override
    public void changeLogin(String username, String password) {
        change(() -> dataSource.changeLogin(username, password));
    }

    @Override
    public List<String> checkouts(String atLeast) {
        return read(() -> dataSource.checkouts(DurationText.parse("atLeast", atLeast))).stream()
                .map(InUseReport::describe)
                .toList();
    }
}
