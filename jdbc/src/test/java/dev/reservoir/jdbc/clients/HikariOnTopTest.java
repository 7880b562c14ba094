package dev.reservoir.jdbc.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** HikariCP on top of {@code jdbc:reservoir:}, for frameworks that require HikariCP. */
class HikariOnTopTest {
    private final WatchedPostgres database = new WatchedPostgres();

    private static HikariDataSource hikari(String name, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:reservoir:" + name);
        config.setMaximumPoolSize(size);
        return new HikariDataSource(config);
    }

    private static int backend(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select pg_backend_pid()")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Test
    void hikariGetsItsConnectionsFromTheReservoirAndNeverConnects() throws SQLException {
        try (ReservoirDataSource reservoir = ReservoirDataSource.builder()
                        .name("under-hikari")
                        .dataSource(database)
                        .maxOpen(8)
                        .build();
                HikariDataSource hikari = hikari("under-hikari", 5)) {
            List<Connection> taken = new ArrayList<>();
            Set<Integer> backends = new HashSet<>();
            for (int i = 0; i < 5; i++) {
                taken.add(hikari.getConnection());
                backends.add(backend(taken.get(i)));
            }
            assertThat(backends).hasSize(5);
            assertThat(reservoir.stats().inUse()).isEqualTo(5);
            for (Connection connection : taken) {
                connection.close();
            }
            assertThat(reservoir.stats().open()).isLessThanOrEqualTo(8);
        }
        assertThat(database.connectingThreads)
                .isNotEmpty()
                .allMatch(name -> name.startsWith("reservoir-under-hikari-connect-"));
    }

    @Test
    void hikariReplacesAConnectionOnceItIsInItsGuardWindow() throws SQLException {
        try (ReservoirDataSource reservoir = ReservoirDataSource.builder()
                        .name("short-lived")
                        .dataSource(database)
                        .maxOpen(3)
                        .baseLifetime(Duration.ofSeconds(6))
                        .lifetimeJitter(Duration.ZERO)
                        .guardWindow(Duration.ofSeconds(4))
                        .build();
                HikariDataSource hikari = hikari("short-lived", 1)) {
            int first;
            try (Connection connection = hikari.getConnection()) {
                first = backend(connection);
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> !connection.unwrap(Connection.class).isValid(5));
                assertThat(backend(connection))
                        .as("it works until it is given back")
                        .isEqualTo(first);
            }
            // Hikari calls isValid on a connection that was idle for longer than half a second.
            await().pollDelay(Duration.ofMillis(700))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> {
                        try (Connection connection = hikari.getConnection()) {
                            return backend(connection) != first;
                        }
                    });
            assertThat(reservoir.stats().opened()).isGreaterThan(3);
        }
        assertThat(database.connectingThreads).allMatch(name -> name.startsWith("reservoir-short-lived-connect-"));
    }
}
