package dev.reservoir.metrics.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.metrics.RemoteMetric;
import dev.reservoir.remote.metrics.RemoteMetrics;
import dev.reservoir.remote.model.RemoteDatabaseType;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.UserMapping;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A scrape shows every metric of the registry's table, with the values of a real server. */
class RemoteMetricsScrapeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Pattern LINE = Pattern.compile("(?m)^([a-z_]+)\\{([^}]*)} (\\S+)$");
    private static final Pattern LABEL = Pattern.compile("([a-z]+)=\"([^\"]*)\"");

    private static LocalPostgres postgres;
    private static RemoteConnectionPoolRegistry registry;
    private static String page = "";

    /** The values by name and by their labels, which are sorted. */
    private static final Map<String, Double> values = new TreeMap<>();

    @BeforeAll
    static void useAServerAndScrape() throws Exception {
        postgres = LocalPostgres.start();
        registry = RemoteConnectionPoolRegistry.create("scrape-test");
        registry.registerServer(ServerDefinition.builder("legacy_pg", RemoteDatabaseType.POSTGRESQL)
                .host("127.0.0.1")
                .port(postgres.port())
                .database(LocalPostgres.DATABASE)
                .build());
        registry.addMapping(UserMapping.builder("legacy_pg", "ann")
                .remoteUser(LocalPostgres.USER)
                .remotePassword(Secret.literal(postgres.password()))
                .build());
        assertThat(registry.checkNow("legacy_pg")).isTrue();
        PooledRemoteConnection held = registry.acquire("legacy_pg", "ann", PATIENCE);
        try (PooledRemoteConnection connection = registry.acquire("legacy_pg", "ann", PATIENCE)) {
            connection.query("SELECT pg_sleep(0.01)");
        }
        try (PrometheusEndpoint endpoint = PrometheusEndpoint.start(RemoteMetrics.of(registry), 0)) {
            page = Scrape.text(endpoint);
        }
        held.release();
        for (Matcher line = LINE.matcher(page); line.find(); ) {
            Map<String, String> labels = new TreeMap<>();
            for (Matcher label = LABEL.matcher(line.group(2)); label.find(); ) {
                labels.put(label.group(1), label.group(2));
            }
            values.put(line.group(1) + labels, Double.parseDouble(line.group(3)));
        }
    }

    @AfterAll
    static void stop() {
        registry.close(Duration.ZERO);
        postgres.close();
    }

    @ParameterizedTest
    @EnumSource(RemoteMetric.class)
    void everyMetricIsThereWithItsTypeItsHelpAndAllItsLabels(RemoteMetric metric) {
        String name = metric.metricName();
        assertThat(page.lines())
                .contains(
                        "# TYPE " + name + " " + metric.type().name().toLowerCase(Locale.ROOT),
                        "# HELP " + name + " " + metric.help());
        Map<String, List<String>> labels = new TreeMap<>(metric.labels());
        assertThat(labels.remove("server")).isNotNull();
        if (labels.isEmpty()) {
            assertThat(values).containsKey(name + "{server=legacy_pg}");
        }
        labels.forEach((label, all) -> {
            for (String value : all) {
                Map<String, String> both = new TreeMap<>(Map.of("server", "legacy_pg", label, value));
                assertThat(values).containsKey(name + both);
            }
        });
    }

    @Test
    void noMetricIsThereThatTheTableDoesNotHave() {
        List<String> names = List.of(RemoteMetric.values()).stream()
                .map(RemoteMetric::metricName)
                .toList();
        assertThat(page.lines().filter(line -> line.startsWith("# TYPE ")).map(line -> line.split(" ", -1)[2]))
                .containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void theValuesAreThoseOfWhatHappened() {
        String pool = "scratchbird_remote_pool_";
        String connection = "scratchbird_remote_connection_";
        String server = "{server=legacy_pg}";
        assertThat(values)
                .containsEntry(pool + "connections_total{server=legacy_pg, state=active}", 1.0)
                .containsEntry(pool + "connections_total{server=legacy_pg, state=idle}", 1.0)
                .containsEntry(pool + "connections_total{server=legacy_pg, state=failed}", 0.0)
                .containsEntry(pool + "acquires_total" + server, 2.0)
                .containsEntry(pool + "releases_total" + server, 1.0)
                .containsEntry(pool + "timeouts_total" + server, 0.0)
                .containsEntry(pool + "errors_total" + server, 0.0)
                .containsEntry(pool + "acquire_duration_seconds_count" + server, 2.0)
                .containsEntry(connection + "queries_total" + server, 1.0)
                .containsEntry(connection + "query_duration_seconds_count" + server, 1.0)
                .containsEntry(pool + "healthy" + server, 1.0)
                .containsEntry(pool + "health_checks_total{result=success, server=legacy_pg}", 1.0)
                .containsEntry(pool + "health_checks_total{result=failure, server=legacy_pg}", 0.0);
        assertThat(values.get(connection + "query_duration_seconds{quantile=0.5, server=legacy_pg}"))
                .isGreaterThanOrEqualTo(0.01);
        assertThat(values.get(pool + "acquire_duration_seconds{quantile=0.99, server=legacy_pg}"))
                .isPositive();
        assertThat(values.get(connection + "bytes_sent_total" + server)).isGreaterThan(100);
        assertThat(values.get(connection + "bytes_received_total" + server)).isGreaterThan(100);
    }

    @Test
    void noSecretIsShown() {
        assertThat(page).doesNotContain(postgres.password());
    }
}
