package dev.reservoir.dsql;

import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.Stats;
import dev.reservoir.dsql.connect.BackingPool;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;

/** The pool of reservoir mode: passes calls to a {@code ReservoirDataSource} and reports its metrics. */
final class ReservoirPool implements BackingPool {
    private final ReservoirDataSource reservoir;

    ReservoirPool(ReservoirDataSource reservoir) {
        this.reservoir = reservoir;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return reservoir.getConnection();
    }

    @Override
    public Map<String, Double> metrics() {
        Stats stats = reservoir.stats();
        Map<String, Double> all = new LinkedHashMap<>();
        all.put("dsql_reservoir_size", (double) stats.ready());
        all.put("dsql_reservoir_target", (double) stats.targets().targetReady());
        all.put("dsql_reservoir_open", (double) stats.open());
        all.put("dsql_reservoir_max_open", (double) stats.targets().maxOpen());
        all.put("dsql_reservoir_in_use", (double) stats.inUse());
        all.put("dsql_reservoir_opening", (double) stats.opening());
        all.put("dsql_reservoir_waiting", (double) stats.waiting());
        all.put("dsql_reservoir_checkouts_total", (double) stats.checkouts());
        all.put("dsql_reservoir_empty_total", (double) stats.empties());
        all.put("dsql_reservoir_timeouts_total", (double) stats.timeouts());
        for (DiscardReason reason : DiscardReason.values()) {
            all.put(labelled("dsql_reservoir_discards_total", reason.label()), (double)
                    stats.discards().getOrDefault(reason, 0L));
        }
        all.put("dsql_reservoir_refills_total", (double) stats.opened());
        for (OpenFailureReason reason : OpenFailureReason.values()) {
            all.put(labelled("dsql_reservoir_refill_failures_total", reason.label()), (double)
                    stats.openFailures().getOrDefault(reason, 0L));
        }
        all.put("dsql_reservoir_lease_release_failures_total", (double) stats.leaseReleaseFailures());
        all.put(
                "dsql_reservoir_checkout_latency_milliseconds{quantile=\"0.5\"}",
                stats.checkoutTime().p50Nanos() / 1e6);
        all.put(
                "dsql_reservoir_checkout_latency_milliseconds{quantile=\"0.99\"}",
                stats.checkoutTime().p99Nanos() / 1e6);
        all.put(
                "dsql_reservoir_checkout_latency_milliseconds{quantile=\"0.999\"}",
                stats.checkoutTime().p999Nanos() / 1e6);
        return all;
    }

    private static String labelled(String name, String reason) {
        return name + "{reason=\"" + reason + "\"}";
    }

    @Override
    public DataSource dataSource() {
        return reservoir;
    }

    @Override
    public void close() {
        reservoir.close();
    }
}
