package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many connections are accepted, and when. */
class RationTest {
    private static final String RATE = "Unable to accept connection, rate exceeded.";
    private static final String COUNT = "Unable to accept connection, too many open connections.";

    private final MovableClock clock = new MovableClock();
    private final List<Connection> open = new ArrayList<>();

    private DsqlEmulator start(Limits limits) {
        return DsqlEmulator.builder()
                .backend(Backend.stub())
                .clock(clock)
                .limits(limits)
                .start();
    }

    private void connect(DsqlEmulator dsql, int times) throws SQLException {
        for (int i = 0; i < times; i++) {
            open.add(Client.connect(dsql));
        }
    }

    @AfterEach
    void close() throws SQLException {
        for (Connection connection : open) {
            connection.close();
        }
    }

    @Test
    void theBucketGivesItsBurstAndThenWhatItGains() throws SQLException {
        try (DsqlEmulator dsql = start(Limits.dsql().withRatePerSecond(10).withBurst(5))) {
            connect(dsql, 5);
            assertRefused(() -> connect(dsql, 1), "53400", RATE);

            clock.pass(Duration.ofMillis(100));
            connect(dsql, 1);
            assertRefused(() -> connect(dsql, 1), "53400", RATE);

            clock.pass(Duration.ofHours(1));
            connect(dsql, 5);
            assertRefused(() -> connect(dsql, 1), "53400", RATE);

            Counters counters = dsql.counters();
            assertThat(counters.accepted()).isEqualTo(11);
            assertThat(counters.refusedByRate()).isEqualTo(3);
            assertThat(counters.refusedByCount()).isZero();
        }
    }

    @Test
    void whoIsRefusedTakesNothingFromTheBucket() throws SQLException {
        try (DsqlEmulator dsql = start(Limits.dsql().withRatePerSecond(1).withBurst(1))) {
            connect(dsql, 1);
            for (int i = 0; i < 10; i++) {
                assertRefused(() -> connect(dsql, 1), "53400", RATE);
            }
            clock.pass(Duration.ofSeconds(1));
            connect(dsql, 1);
        }
    }

    @Test
    void whenAllPlacesAreTakenNobodyComesInUntilOneLeaves() throws SQLException {
        try (DsqlEmulator dsql = start(Limits.dsql().withMaxOpen(3))) {
            connect(dsql, 3);
            assertRefused(() -> connect(dsql, 1), "53300", COUNT);
            assertThat(dsql.counters().refusedByCount()).isEqualTo(1);

            open.remove(0).close();
            await().atMost(Duration.ofSeconds(60)).until(() -> dsql.counters().open() == 2);
            connect(dsql, 1);
            assertThat(dsql.counters().highestOpen()).isEqualTo(3);
        }
    }

    @Test
    void limitsChangeWhileItRuns() throws SQLException {
        try (DsqlEmulator dsql = start(Limits.dsql())) {
            connect(dsql, 2);
            dsql.limits(dsql.limits().withMaxOpen(2));
            assertRefused(() -> connect(dsql, 1), "53300", COUNT);
            dsql.limits(dsql.limits().withMaxOpen(100).withBurst(1));
            connect(dsql, 1);
            assertRefused(() -> connect(dsql, 1), "53400", RATE);
        }
    }

    @Test
    void connectsOfTheLastSecondAreCounted() throws SQLException {
        try (DsqlEmulator dsql = start(Limits.dsql())) {
            connect(dsql, 3);
            clock.pass(Duration.ofMillis(500));
            connect(dsql, 2);
            assertThat(dsql.counters().connectsLastSecond()).isEqualTo(5);
            clock.pass(Duration.ofMillis(600));
            assertThat(dsql.counters().connectsLastSecond()).isEqualTo(2);
            clock.pass(Duration.ofMillis(600));
            assertThat(dsql.counters().connectsLastSecond()).isZero();
        }
    }

    @Test
    void theDefaultsAreThoseOfDsql() {
        assertThat(Limits.dsql())
                .isEqualTo(new Limits(
                        100, 1000, 10_000, Duration.ofHours(1), 3000, 10 * 1024 * 1024, Duration.ofMinutes(5)));
    }

    @Test
    void aLimitOutOfRangeIsNamed() {
        assertThatThrownBy(() -> Limits.dsql().withBurst(0))
                .hasMessage("burst is 0; allowed: a whole number from 1 up");
        assertThatThrownBy(() -> Limits.dsql().withMaxAge(Duration.ZERO))
                .hasMessage("maxAge is PT0S; allowed: a duration above 0");
        assertThatThrownBy(() -> Limits.dsql().withRatePerSecond(Double.NaN))
                .hasMessage("ratePerSecond is NaN; allowed: a number above 0");
        assertThatThrownBy(() -> DsqlEmulator.builder().port(70_000)).hasMessage("port is 70000; allowed: 0 to 65535");
    }
}
