package dev.reservoir.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.flightsql.FlightSqlPool;
import dev.reservoir.flightsql.PoolConfig;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.junit.FlightSqlServerExtension;
import dev.reservoir.testkit.LogLines;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Results and sessions that an application forgets. It is in a package of its own, as an application is. */
class LeakTest {
    @RegisterExtension
    static final FlightSqlServerExtension flight = new FlightSqlServerExtension();

    private final FlightSqlServer server = flight.server();

    private FlightSqlPool pool(Duration leakThreshold) {
        return new FlightSqlPool(
                server.endpoint(),
                PoolConfig.builder()
                        .name("forgetful")
                        .maxSize(1)
                        .acquireTimeout(Duration.ofSeconds(20))
                        .leakThreshold(leakThreshold)
                        .build());
    }

    private static void forgetResult(FlightSqlPool pool) {
        assertThat(pool.query("SELECT i FROM range(10000) t(i)").nextRow()).isNotNull();
    }

    private static void forgetSession(FlightSqlPool pool) {
        pool.acquireSession().beginTransaction();
    }

    private static void awaitRecovered(FlightSqlPool pool) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> {
                    System.gc();
                    return pool.metrics().get("pool.conn.in_use") == 0;
                });
    }

    @Test
    void aForgottenResultIsReportedAndItsConnectionRecovered() {
        try (LogLines lines = new LogLines();
                FlightSqlPool pool = pool(Duration.ZERO)) {
            forgetResult(pool);
            awaitRecovered(pool);
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(lines.startingWith("WARN Flight SQL pool: a result was collected"))
                            .hasSize(1)
                            .allMatch(line ->
                                    line.contains("LeakTest.forgetResult:") && line.contains("pool=forgetful")));
            assertThat(pool.metrics().get("pool.handles.open")).isZero();
        }
    }

    @Test
    void aForgottenSessionIsRolledBack() {
        try (LogLines lines = new LogLines();
                FlightSqlPool pool = pool(Duration.ZERO)) {
            forgetSession(pool);
            awaitRecovered(pool);
            assertThat(server.log().statements()).contains("ROLLBACK");
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(lines.startingWith("WARN Flight SQL pool: a session was collected"))
                            .hasSize(1));
            assertThat(pool.metrics().get("pool.conn.created")).isEqualTo(1);
        }
    }

    @Test
    void aResultThatIsOpenForLongIsReported() {
        try (LogLines lines = new LogLines();
                FlightSqlPool pool = pool(Duration.ofMillis(1));
                var result = pool.query("SELECT i FROM range(10000) t(i)")) {
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(
                            () -> assertThat(lines.startingWith("WARN Flight SQL pool: a result is open for long"))
                                    .hasSize(1)
                                    .allMatch(line -> line.contains("LeakTest.aResultThatIsOpenForLongIsReported:")));
            assertThat(result.nextRow()).isNotNull();
        }
    }
}
