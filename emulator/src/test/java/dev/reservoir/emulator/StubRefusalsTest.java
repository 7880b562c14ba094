package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static dev.reservoir.emulator.Client.run;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Refusals without a database have the same messages in the same order as refusals with one. */
class StubRefusalsTest {
    private final MovableClock clock = new MovableClock();
    private final DsqlEmulator dsql =
            DsqlEmulator.builder().backend(Backend.stub()).clock(clock).start();

    @AfterEach
    void close() {
        dsql.close();
    }

    @Test
    void aStatementThatIsRefusedLeavesTheConnectionInStep() throws SQLException {
        try (Connection connection = Client.connect(dsql)) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> run(connection, "truncate t"))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
                assertThat(value(connection, "select 1")).isEqualTo("1");
            }
        }
    }

    @Test
    void insideATransactionItFailsTheTransaction() throws SQLException {
        try (Connection connection = Client.connect(dsql)) {
            connection.setAutoCommit(false);
            assertThat(value(connection, "select 1")).isEqualTo("1");
            dsql.faults().unavailable(true);
            assertRefused(() -> run(connection, "select 2"), "XX000", "server unavailable");
            dsql.faults().unavailable(false);
            connection.rollback();
            assertThat(value(connection, "select 3")).isEqualTo("3");
            dsql.faults().unavailable(true);
            assertRefused(connection::commit, "XX000", "server unavailable");
            dsql.faults().clear();
            connection.rollback();
            assertThat(value(connection, "select 4")).isEqualTo("4");
            connection.commit();
        }
    }

    @Test
    void aTransactionThatIsTooOldIsEndedWithoutAWordInBetween() throws SQLException {
        try (Connection connection = Client.connect(dsql)) {
            connection.setAutoCommit(false);
            assertThat(value(connection, "select 1")).isEqualTo("1");
            clock.pass(Duration.ofSeconds(301));
            assertRefused(() -> run(connection, "select 2"), "54000", "transaction age limit of 300s exceeded");
            connection.rollback();
            assertThat(value(connection, "select 3")).isEqualTo("3");
            connection.commit();
        }
    }
}
