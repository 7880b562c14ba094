package dev.reservoir.dsql.tx;

import static dev.reservoir.dsql.VirtualRetries.conflict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.reservoir.core.util.Histogram;
import dev.reservoir.dsql.ScriptedDatabase;
import dev.reservoir.dsql.VirtualRetries;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.Test;

class TransactionMetricsTest {
    private final VirtualRetries virtual = new VirtualRetries();
    private final ScriptedDatabase database = new ScriptedDatabase();
    private final Transactions transactions =
            Transactions.on(database.dataSource(), virtual.builder().build());

    @Test
    void everythingIsCountedByOperation() throws SQLException {
        database.failing("commit", conflict())
                .failing("commit", new SQLException("schema has been updated (OC001)", "40001"));
        transactions.execute("order.place", tx -> {});
        for (int i = 0; i < 6; i++) {
            database.failing("commit", conflict());
        }
        assertThatThrownBy(() -> transactions.execute("order.cancel", tx -> {}))
                .isInstanceOf(RetriesExhaustedException.class);
        database.failing("commit", new SQLException("transaction row limit exceeded", "54000"));
        assertThatThrownBy(() -> transactions.execute("order.cancel", tx -> {})).isInstanceOf(SQLException.class);

        assertThat(transactions.metrics().asMetrics())
                .containsEntry("dsql_tx_conflict_total{operation=\"order.place\"}", 2.0)
                .containsEntry("dsql_tx_retry_total{operation=\"order.place\",attempt=\"1\"}", 1.0)
                .containsEntry("dsql_tx_retry_total{operation=\"order.place\",attempt=\"2\"}", 1.0)
                .containsEntry("dsql_tx_error_class_total{operation=\"order.place\",error_class=\"conflict\"}", 1.0)
                .containsEntry(
                        "dsql_tx_error_class_total{operation=\"order.place\",error_class=\"schema_changed\"}", 1.0)
                .containsEntry("dsql_tx_backoff_milliseconds_count{operation=\"order.place\"}", 2.0)
                .containsEntry("dsql_tx_backoff_milliseconds_sum{operation=\"order.place\"}", 300.0)
                .containsEntry("dsql_tx_backoff_milliseconds_max{operation=\"order.place\"}", 200.0)
                .containsEntry("dsql_tx_latency_milliseconds_count{operation=\"order.place\"}", 1.0)
                .containsEntry("dsql_tx_latency_milliseconds_sum{operation=\"order.place\"}", 300.0)
                .containsEntry("dsql_tx_exhausted_total{operation=\"order.place\"}", 0.0)
                .containsEntry("dsql_tx_total{operation=\"order.place\",outcome=\"committed\"}", 1.0)
                .containsEntry("dsql_tx_exhausted_total{operation=\"order.cancel\"}", 1.0)
                .containsEntry("dsql_tx_conflict_total{operation=\"order.cancel\"}", 6.0)
                .containsEntry("dsql_tx_total{operation=\"order.cancel\",outcome=\"failed\"}", 2.0)
                .containsEntry("dsql_tx_indeterminate_total{operation=\"order.cancel\"}", 0.0)
                .containsEntry("dsql_tx_error_class_total{operation=\"order.cancel\",error_class=\"limit_rows\"}", 1.0);
        assertThat(transactions.metrics().conflicts()).isEqualTo(8);
        assertThat(transactions.metrics().retries()).isEqualTo(7);
        assertThat(transactions.metrics().exhausted()).isEqualTo(1);
        assertThat(transactions.metrics().stats("order.place").committed()).isEqualTo(1);
        assertThat(transactions.metrics().stats("never").committed()).isZero();
    }

    @Test
    void namesMadeFromDataDoNotFillTheMemory() {
        TransactionMetrics metrics = new TransactionMetrics();
        IntStream.range(0, 5_000).forEach(i -> metrics.listener().ended("order " + i, true, 1_000));

        assertThat(metrics.asMetrics().keySet().stream().filter(key -> key.startsWith("dsql_tx_conflict_total")))
                .hasSizeLessThanOrEqualTo(TransactionMetrics.OPERATIONS_MAX + 1);
        assertThat(metrics.stats(TransactionMetrics.OTHERS).committed()).isGreaterThanOrEqualTo(3_999);
    }

    @Test
    void namesAreEscaped() {
        TransactionMetrics metrics = new TransactionMetrics();
        metrics.listener().exhausted("a \"b\"\\\n", 1);

        assertThat(metrics.asMetrics()).containsKey("dsql_tx_exhausted_total{operation=\"a \\\"b\\\"\\\\\\n\"}");
    }

    @Test
    void percentilesAreAtMostAnEighthTooHigh() {
        Histogram latencies = new Histogram();
        for (int i = 1; i <= 10_000; i++) {
            latencies.record(i * 1_000L);
        }

        var all = latencies.snapshot();
        assertThat(all.count()).isEqualTo(10_000);
        assertThat(all.maxNanos()).isEqualTo(10_000_000);
        assertThat((double) all.p50Nanos()).isBetween(5_000_000.0, 5_000_000 * 1.126);
        assertThat((double) all.p99Nanos()).isBetween(9_900_000.0, 10_000_000.0);
        assertThat((double) all.p999Nanos()).isCloseTo(10_000_000, within(20_000.0));

        latencies.record(Long.MAX_VALUE);
        latencies.record(-1);
        assertThat(latencies.snapshot().count()).isEqualTo(10_002);
    }

    @Test
    void jmxShowsThemUntilTheyAreClosed() throws Exception {
        ObjectName name = new ObjectName("dev.reservoir:type=Transactions,name=metrics-test");
        try (Transactions shown = transactions.shownAs("metrics-test")) {
            database.failing("commit", conflict());
            shown.execute("op", tx -> {});

            var server = ManagementFactory.getPlatformMBeanServer();
            assertThat(server.getAttribute(name, "Conflicts")).isEqualTo(1L);
            assertThat(server.getAttribute(name, "Retries")).isEqualTo(1L);
            assertThat(server.getAttribute(name, "Exhausted")).isEqualTo(0L);
            TabularData metrics = (TabularData) server.getAttribute(name, "Metrics");
            assertThat(metrics.size())
                    .isEqualTo(Map.copyOf(shown.metrics().asMetrics()).size());

            transactions.shownAs("metrics-test").close();
            assertThat(server.isRegistered(name))
                    .as("a second one of the same name")
                    .isTrue();
        }
        assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(name))
                .isFalse();
        transactions
                .shownAs("metrics-test")
                .idempotent()
                .within(Duration.ofSeconds(1))
                .close();
        assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(name))
                .as("by one made of it")
                .isFalse();
    }
}
