package dev.reservoir.remote.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.postgres.local.LocalPostgres;
import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.testkit.LogLines;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The registry that most applications use, and what it logs. With a real PostgreSQL. */
class DefaultRegistryTest {
    private static final Duration LONG = Duration.ofSeconds(10);

    private final LocalPostgres postgres = PostgresServer.shared();

    @Test
    void theDefaultRegistryIsOneForTheProcessUntilItIsClosed() throws Exception {
        String role = PostgresServer.role(postgres, "secret");
        RemoteConnectionPoolRegistry registry = RemoteConnectionPoolRegistry.instance();
        try {
            assertThat(registry.name()).isEqualTo(RemoteConnectionPoolRegistry.DEFAULT_NAME);
            assertThat(RemoteConnectionPoolRegistry.instance()).isSameAs(registry);
            assertThat(RemoteConnectionPoolRegistry.named("default")).isSameAs(registry);
            registry.registerServer(
                    PostgresServer.definition("pg", postgres.port()).build());
            registry.addMapping(PostgresServer.mapping("pg", "ann", role, "secret"));
            try (Connection connection = DriverManager.getConnection("jdbc:reservoir:remote:pg?localUser=ann")) {
                assertThat(connection.isValid(5)).isTrue();
            }
        } finally {
            registry.close(Duration.ZERO);
        }
        try (RemoteConnectionPoolRegistry next = RemoteConnectionPoolRegistry.instance()) {
            assertThat(next).isNotSameAs(registry);
            assertThat(next.isClosed()).isFalse();
            assertThat(next.serverNames()).isEmpty();
        }
    }

    @Test
    void changesOfHealthAreLogged() throws Exception {
        try (LogLines log = new LogLines();
                RemoteConnectionPoolRegistry registry = PostgresServer.registry()) {
            registry.registerServer(
                    PostgresServer.definition("pg", postgres.port()).build());
            registry.markUnhealthy("pg", "it is maintained");
            Awaitility.await()
                    .atMost(LONG)
                    .untilAsserted(() -> assertThat(log.startingWith("WARN Remote: "))
                            .containsExactly("WARN Remote: the server is unhealthy, acquires are refused  server=pg"
                                    + " reason=\"it is maintained\""));
            registry.markHealthy("pg");
            Awaitility.await()
                    .atMost(LONG)
                    .untilAsserted(() -> assertThat(log.startingWith("INFO Remote: "))
                            .containsExactly("INFO Remote: the server is healthy again  server=pg"));
        }
    }
}
