package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.metrics.MetricFamily;
import dev.reservoir.core.metrics.MetricSample;
import dev.reservoir.jdbc.KeepaliveSocketFactory;
import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.PooledRemoteConnection;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.metrics.RemoteMetrics;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.UserMapping;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the metrics of a registry say after something has happened on a real server. */
class RegistryMetricsTest {
    private static final String PASSWORD = "a-password";
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final LocalPostgres server = PostgresServer.shared();
    private final RemoteConnectionPoolRegistry registry = PostgresServer.registry();
    private final String role = PostgresServer.role(server, PASSWORD);

    @BeforeEach
    void register() throws RemoteException {
        registry.registerServer(PostgresServer.definition("pg", server.port())
                .pool(PostgresServer.pool(0, 2).build())
                .build());
        registry.addMapping(PostgresServer.mapping("pg", "ann", role, PASSWORD));
    }

    @AfterEach
    void close() {
        registry.close(Duration.ofSeconds(1));
    }

    /** The values by name and labels, without the common beginning. A summary gives its count and its quantiles. */
    private Map<String, Double> metrics() {
        Map<String, Double> values = new TreeMap<>();
        for (MetricFamily family : RemoteMetrics.of(registry).read()) {
            String name = family.name().replace("scratchbird_remote_", "");
            for (MetricSample sample : family.samples()) {
                String labels = sample.labels().toString();
                if (sample instanceof MetricSample.Value value) {
                    values.put(name + labels, value.value());
                } else if (sample instanceof MetricSample.Summary summary) {
                    values.put(name + "_count" + labels, (double) summary.count());
                    values.put(name + "_sum" + labels, summary.sum());
                    summary.quantiles().forEach((share, value) -> values.put(name + labels + share, value));
                }
            }
        }
        return values;
    }

    private PooledRemoteConnection acquire() throws RemoteException {
        return registry.acquire("pg", "ann", PATIENCE);
    }

    @Test
    void acquiresStatementsAndTheirTimesAreCounted() throws Exception {
        for (int i = 0; i < 5; i++) {
            try (PooledRemoteConnection connection = acquire()) {
                connection.query("SELECT pg_sleep(0.02)");
            }
        }
        PooledRemoteConnection held = acquire();
        Map<String, Double> now = metrics();
        assertThat(now)
                .containsEntry("pool_acquires_total{server=pg}", 6.0)
                .containsEntry("pool_releases_total{server=pg}", 5.0)
                .containsEntry("pool_timeouts_total{server=pg}", 0.0)
                .containsEntry("pool_connections_total{server=pg, state=active}", 1.0)
                .containsEntry("pool_connections_total{server=pg, state=idle}", 0.0)
                .containsEntry("pool_acquire_duration_seconds_count{server=pg}", 6.0)
                .containsEntry("connection_queries_total{server=pg}", 5.0)
                .containsEntry("connection_query_duration_seconds_count{server=pg}", 5.0);
        assertThat(now.get("connection_query_duration_seconds{server=pg}0.5")).isGreaterThanOrEqualTo(0.02);
        assertThat(now.get("connection_query_duration_seconds_sum{server=pg}")).isGreaterThanOrEqualTo(0.1);
        // The first acquire opened a connection. The others found one that was ready.
        assertThat(now.get("pool_acquire_duration_seconds{server=pg}0.99"))
                .isGreaterThanOrEqualTo(now.get("pool_acquire_duration_seconds{server=pg}0.5"))
                .isPositive();
        assertThat(now.get("pool_acquire_duration_seconds{server=pg}0.5")).isPositive();
        held.release();
    }

    @Test
    void statementsOfClosedConnectionsAndEndedPoolsStayCounted() throws Exception {
        for (int i = 0; i < 3; i++) {
            try (PooledRemoteConnection connection = acquire()) {
                connection.query("SELECT 1");
                connection.markFailed();
            }
        }
        registry.updateMapping(UserMapping.builder("pg", "ann")
                .remoteUser(role)
                .remotePassword(Secret.literal(PASSWORD))
                .driverOption("ApplicationName", "other")
                .build());
        try (PooledRemoteConnection connection = acquire()) {
            connection.query("SELECT 1");
        }
        assertThat(metrics())
                .containsEntry("connection_queries_total{server=pg}", 4.0)
                .containsEntry("pool_acquires_total{server=pg}", 4.0);
    }

    @Test
    void bytesOfTheNetworkAreCounted() throws Exception {
        try (PooledRemoteConnection connection = acquire()) {
            connection.query("SELECT 1");
            Map<String, Double> before = metrics();
            connection.query("SELECT repeat('x', 100000)");
            connection.query("SELECT length('" + "y".repeat(50_000) + "')");
            Map<String, Double> after = metrics();
            String received = "connection_bytes_received_total{server=pg}";
            assertThat(after.get(received) - before.get(received)).isBetween(100_000.0, 102_000.0);
            String sent = "connection_bytes_sent_total{server=pg}";
            assertThat(after.get(sent) - before.get(sent)).isBetween(50_000.0, 52_000.0);
        }
    }

    @Test
    void bytesAreNotShownIfTheUserChoseAnotherSocketFactory() throws Exception {
        registry.registerServer(PostgresServer.definition("own", server.port())
                .driverOption("socketFactory", KeepaliveSocketFactory.class.getName())
                .build());
        registry.addMapping(PostgresServer.mapping("own", "ann", role, PASSWORD));
        registry.acquire("own", "ann", PATIENCE).release();
        assertThat(metrics())
                .containsEntry("pool_acquires_total{server=own}", 1.0)
                .doesNotContainKeys(
                        "connection_bytes_sent_total{server=own}", "connection_bytes_received_total{server=own}");
    }

    @Test
    void aConnectionThatBreaksInUseIsFailedUntilItsRelease() throws Exception {
        PooledRemoteConnection connection = acquire();
        Object pid = connection.query("SELECT pg_backend_pid()").single();
        PostgresServer.execute(server, "SELECT pg_terminate_backend(" + pid + ")");
        assertThatThrownBy(() -> connection.query("SELECT 1")).isInstanceOf(RemoteException.class);
        assertThat(metrics())
                .containsEntry("pool_connections_total{server=pg, state=failed}", 1.0)
                .containsEntry("pool_connections_total{server=pg, state=active}", 0.0);
        connection.release();
        assertThat(metrics()).containsEntry("pool_connections_total{server=pg, state=failed}", 0.0);
        // The pool discards it soon after the release.
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(metrics()).containsEntry("pool_connections_total{server=pg, state=active}", 0.0));
    }

    @Test
    void timeoutsAndFailedConnectsAreCounted() throws Exception {
        try (PooledRemoteConnection one = acquire();
                PooledRemoteConnection two = acquire()) {
            assertThatThrownBy(() -> registry.acquire("pg", "ann", Duration.ofMillis(50)))
                    .isInstanceOf(RemoteException.class)
                    .hasMessageStartingWith("RD005");
            assertThat(metrics()).containsEntry("pool_timeouts_total{server=pg}", 1.0);
            assertThat(one.isReleased() || two.isReleased()).isFalse();
        }
        registry.addMapping(PostgresServer.mapping("pg", "eve", role, "a-wrong-password"));
        assertThatThrownBy(() -> registry.acquire("pg", "eve", PATIENCE)).isInstanceOf(RemoteException.class);
        assertThat(metrics().get("pool_errors_total{server=pg}")).isPositive();
    }

    @Test
    void healthAndChecksAreShown() throws Exception {
        assertThat(registry.checkNow("pg")).isTrue();
        assertThat(metrics())
                .containsEntry("pool_healthy{server=pg}", 1.0)
                .containsEntry("pool_health_checks_total{server=pg, result=success}", 1.0)
                .containsEntry("pool_health_checks_total{server=pg, result=failure}", 0.0);
        registry.markUnhealthy("pg", "for a test");
        assertThat(metrics()).containsEntry("pool_healthy{server=pg}", 0.0);
        assertThatThrownBy(this::acquire).hasMessageStartingWith("RD006");
        assertThat(metrics()).as("a refused acquire").containsEntry("pool_timeouts_total{server=pg}", 1.0);
    }

    @Test
    void totalsNeverFallWhilePoolsAreReplaced() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<String> fell = new AtomicReference<>();
        Thread reader = new Thread(() -> {
            double last = 0;
            while (!done.get() && fell.get() == null) {
                double now = metrics().get("pool_acquires_total{server=pg}");
                if (now < last) {
                    fell.set(last + " to " + now);
                }
                last = now;
            }
        });
        reader.setDaemon(true);
        reader.start();
        for (int i = 0; i < 20; i++) {
            acquire().release();
            registry.updateMapping(UserMapping.builder("pg", "ann")
                    .remoteUser(role)
                    .remotePassword(Secret.literal(PASSWORD))
                    .driverOption("ApplicationName", "number-" + i)
                    .build());
        }
        done.set(true);
        reader.join(PATIENCE.toMillis());
        assertThat(reader.isAlive()).isFalse();
        assertThat(fell.get()).isNull();
        assertThat(metrics()).containsEntry("pool_acquires_total{server=pg}", 20.0);
    }
}
