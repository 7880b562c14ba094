package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.run;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The age at which the server closes a connection. */
class AgeTest {
    private final MovableClock clock = new MovableClock();
    private final DsqlEmulator dsql =
            DsqlEmulator.builder().backend(Backend.stub()).clock(clock).start();

    @Test
    void anIdleConnectionIsClosedAtItsAgeAndNotBefore() throws SQLException {
        try (dsql;
                Connection old = Client.connect(dsql)) {
            clock.pass(Duration.ofMinutes(30));
            try (Connection young = Client.connect(dsql)) {
                clock.pass(Duration.ofMinutes(30).minusMillis(1));
                assertThat(old.isValid(5)).isTrue();
                clock.pass(Duration.ofMillis(1));
                await().atMost(Duration.ofSeconds(60)).until(() -> !old.isValid(5));
                assertThat(young.isValid(5)).isTrue();
            }
            assertThat(dsql.counters().agedOut()).isEqualTo(1);
        }
    }

    @Test
    void aTransactionMayFinishAndThenItIsClosed() throws SQLException {
        try (dsql;
                Connection connection = Client.connect(dsql)) {
            clock.pass(Duration.ofMinutes(59));
            connection.setAutoCommit(false);
            run(connection, "select 1");
            clock.pass(Duration.ofMinutes(4));
            assertThat(value(connection, "select 1")).isEqualTo("1");
            connection.commit();
            await().atMost(Duration.ofSeconds(60)).until(() -> !connection.isValid(5));
            assertThat(dsql.counters().agedOut()).isEqualTo(1);
        }
    }

    @Test
    void aTransactionThatDoesNotFinishIsNotWaitedForLongerThanItsOwnLimit() throws SQLException {
        try (dsql;
                Connection connection = Client.connect(dsql)) {
            clock.pass(Duration.ofMinutes(59));
            connection.setAutoCommit(false);
            run(connection, "select 1");
            clock.pass(Duration.ofMinutes(6));
            await().atMost(Duration.ofSeconds(60)).until(() -> dsql.counters().agedOut() == 1);
        }
    }

    @Test
    void aLowerAgeHoldsForConnectionsThatAreOpen() throws SQLException {
        try (dsql;
                Connection connection = Client.connect(dsql)) {
            clock.pass(Duration.ofMinutes(1));
            assertThat(connection.isValid(5)).isTrue();
            dsql.limits(dsql.limits().withMaxAge(Duration.ofSeconds(10)));
            await().atMost(Duration.ofSeconds(60)).until(() -> !connection.isValid(5));
        }
    }
}
