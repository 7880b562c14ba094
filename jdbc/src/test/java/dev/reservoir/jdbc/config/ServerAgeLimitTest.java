package dev.reservoir.jdbc.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.TestPostgres;
import dev.reservoir.testkit.LogLines;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Servers that close connections at a certain age. Lifetimes end before that age, and the error of a connection that
 * reaches it says so.
 */
class ServerAgeLimitTest {
    private static final ServerAgeLimit HOUR = new ServerAgeLimit(Duration.ofMinutes(60), Duration.ofMinutes(5));

    private static Config config(Duration base, Duration jitter, Duration guard) {
        Config config = new Config();
        config.set(DataSourceSettings.SERVER_AGE_LIMIT, HOUR);
        config.set(DataSourceSettings.BASE_LIFETIME, base);
        config.set(DataSourceSettings.LIFETIME_JITTER, jitter);
        config.set(DataSourceSettings.GUARD_WINDOW, guard);
        return config;
    }

    @Test
    void lifetimesThatEndEarlyEnoughAreTaken() {
        config(Duration.ofMinutes(11), Duration.ofMinutes(2), Duration.ofSeconds(45))
                .settings(Runnable::run);
        config(Duration.ofMinutes(55), Duration.ZERO, Duration.ZERO).settings(Runnable::run);
        config(Duration.ofMinutes(57), Duration.ofMinutes(4), Duration.ofMinutes(5))
                .settings(Runnable::run);
    }

    @Test
    void lifetimesThatReachTheLimitAreRefused() {
        assertThatThrownBy(() -> config(Duration.ofMinutes(58), Duration.ofMinutes(4), Duration.ofMinutes(10))
                        .settings(Runnable::run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "baseLifetime is 58m0s with a lifetimeJitter of 4m0s and a guardWindow of 10m0s, so connections"
                                + " live for up to 1h0m0s and are handed out for up to 50m0s; allowed: less than 1h0m0s, when the server"
                                + " closes them, and handed out for up to 55m0s, since a transaction may last for 5m0s");
    }

    @Test
    void aLastCheckoutThatLeavesNoTimeForATransactionIsRefused() {
        assertThatThrownBy(() -> config(Duration.ofMinutes(56), Duration.ZERO, Duration.ofSeconds(45))
                        .settings(Runnable::run))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("are handed out for up to 55m15s; allowed");
    }

    @Test
    void theVariableIsNamedWhereTheLifetimeCameFromOne() {
        Config config = config(Duration.ofMinutes(11), Duration.ZERO, Duration.ZERO);
        config.setText(DataSourceSettings.BASE_LIFETIME, "RESERVOIR_BASE_LIFETIME", "70m");
        assertThatThrownBy(() -> config.settings(Runnable::run))
                .hasMessageStartingWith("RESERVOIR_BASE_LIFETIME is 1h10m0s with a lifetimeJitter");
    }

    @Test
    void aConnectionThatBreaksAtThatAgeSaysSo() throws SQLException {
        try (LogLines log = new LogLines();
                ReservoirDataSource dataSource = ReservoirDataSource.builder()
                        .name("aged")
                        .url(TestPostgres.url())
                        .maxOpen(1)
                        .baseLifetime(Duration.ofSeconds(1))
                        .lifetimeJitter(Duration.ZERO)
                        .guardWindow(Duration.ZERO)
                        .serverAgeLimit(Duration.ofSeconds(2), Duration.ofSeconds(1))
                        .build()) {
            Connection connection = dataSource.getConnection();
            try (Statement statement = connection.createStatement()) {
                statement.execute("select pg_sleep(1.1)");
                assertThatThrownBy(() -> statement.execute("select pg_terminate_backend(pg_backend_pid())"))
                        .isInstanceOf(SQLException.class)
                        .satisfies(
                                e -> assertThat(e.getSuppressed())
                                        .singleElement()
                                        .satisfies(
                                                note -> assertThat(note)
                                                        .hasMessageContaining(
                                                                " old; the server closes connections at the age of 2s, also those in use")));
            }
            connection.close();
            String beginning = "WARN Reservoir: a connection broke at the age at which the server closes it";
            await().untilAsserted(() -> assertThat(log.startingWith(beginning))
                    .singleElement()
                    .satisfies(line -> assertThat(line).endsWith(" limit=2s reservoir=aged")));
        }
    }

    @Test
    void aYoungConnectionThatBreaksSaysNothingOfIt() {
        SQLException error = new SQLException("gone", "08006");
        HOUR.explain(error, Duration.ofMinutes(59).toNanos(), "aged", Runnable::run);
        assertThat(error.getSuppressed()).isEmpty();
        HOUR.explain(error, Duration.ofMinutes(60).toNanos(), "aged", Runnable::run);
        assertThat(error.getSuppressed())
                .singleElement()
                .satisfies(note -> assertThat(note).hasMessageStartingWith("the connection was 1h0m0s old"));
    }
}
