package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.reservoir.testkit.LogLines;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The message, the log line and the next exception say why a connect failed: the server's message, the SQLState and the
 * host.
 */
class ToldFailuresTest {

    private static ReservoirDataSource started(String url) {
        return ReservoirDataSource.builder()
                .name("told")
                .url(url)
                .username(TestPostgres.USER)
                .password(TestPostgres.password())
                .maxOpen(1)
                .initialFillTimeout(Duration.ZERO)
                .acquireTimeout(Duration.ofMillis(500))
                .drainTimeout(Duration.ZERO)
                .build();
    }

    @Test
    void aMissingDatabase() {
        String host = "localhost:" + TestPostgres.port();
        try (LogLines log = new LogLines();
                ReservoirDataSource dataSource = started("jdbc:postgresql://" + host + "/nowhere")) {
            await().until(() -> !log.startingWith("ERROR").isEmpty());
            SQLException error = catchThrowableOfType(SQLException.class, dataSource::getConnection);

            assertThat((Throwable) error)
                    .hasMessageContaining(
                            "Limit reached: none of the pool's; the server has no such database: 3D000 FATAL:"
                                    + " database \"nowhere\" does not exist (" + host + "), ")
                    .hasMessageEndingWith("Check the name of the database in the URL, or create the database.");
            assertThat(error.getSQLState()).isEqualTo("3D000");
            assertThat(error.getNextException().getSQLState()).isEqualTo("3D000");
            assertThat(log.startingWith("ERROR"))
                    .first()
                    .asString()
                    .startsWith(
                            "ERROR Reservoir refiller: connection open failed  error=\"3D000 FATAL: database 'nowhere' does"
                                    + " not exist (" + host + ")\" attempt=1 reason=unknown_database reservoir=told");
        }
    }

    @Test
    void anUnknownHost() {
        try (LogLines log = new LogLines();
                ReservoirDataSource dataSource = started("jdbc:postgresql://no-such-host.invalid:5432/x")) {
            await().until(() -> !log.startingWith("ERROR").isEmpty());
            SQLException error = catchThrowableOfType(SQLException.class, dataSource::getConnection);

            assertThat((Throwable) error)
                    .hasMessageContaining("the host of the database is unknown: 08001 ")
                    .hasMessageContaining(" (no-such-host.invalid:5432)");
            assertThat(error.getNextException().getSQLState()).isEqualTo("08001");
            assertThat(log.startingWith("ERROR")).first().asString().contains(" reason=unknown_host reservoir=told");
        }
    }
}
