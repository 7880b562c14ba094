package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static dev.reservoir.emulator.Client.run;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.emulator.junit.EmulatorExtension;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The emulator refuses over the wire what DSQL refuses. StatementsTest covers which statements those are. */
class RefusedStatementsTest {
    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder);

    private static Connection connect(String more) throws SQLException {
        return Client.connect(dsql.emulator(), more);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void aRefusedStatementLeavesTheConnectionInOrder(String mode) throws SQLException {
        long before = dsql.emulator().counters().statementsRefused();
        try (Connection connection = connect(mode)) {
            for (int i = 0; i < 3; i++) {
                assertRefused(() -> run(connection, "discard all"), "0A000", "unsupported statement: Discard");
                assertThat(value(connection, "select 7")).isEqualTo("7");
            }
            run(connection, "deallocate all");
            assertThat(connection.isValid(5)).isTrue();
        }
        assertThat(dsql.emulator().counters().statementsRefused()).isEqualTo(before + 3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void inATransactionARefusalFailsIt(String mode) throws SQLException {
        try (Connection connection = connect(mode)) {
            connection.setAutoCommit(false);
            run(connection, "select 1");
            assertRefused(() -> run(connection, "lock table pg_class"), "0A000", "unsupported statement: Lock");
            assertRefused(() -> run(connection, "select 1"), "25P02", "aborted");
            assertRefused(() -> run(connection, "lock table pg_class"), "25P02", "aborted");
            connection.rollback();
            assertThat(value(connection, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void savepointsAndOtherIsolationLevelsOfTheDriverAreRefused() throws SQLException {
        try (Connection connection = connect("")) {
            assertRefused(
                    () -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE),
                    "0A000",
                    "default_transaction_isolation");
            connection.setAutoCommit(false);
            assertRefused(
                    () -> {
                        Savepoint savepoint = connection.setSavepoint("here");
                        connection.releaseSavepoint(savepoint);
                    },
                    "0A000",
                    "unsupported transaction statement: SAVEPOINT");
        }
    }

    @Test
    void statementsBeforeARefusedOneInTheSameQueryAreUndone() throws SQLException {
        try (Connection connection = connect("&preferQueryMode=simple")) {
            run(connection, "create table kept (id int)");
            assertRefused(
                    () -> run(connection, "insert into kept values (1); truncate kept; insert into kept values (2)"),
                    "0A000",
                    "unsupported statement: Truncate");
            assertThat(value(connection, "select count(*) from kept")).isEqualTo("0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void anIndexIsMadeWithAsync(String mode) throws SQLException {
        String table = mode.isEmpty() ? "indexed" : "indexed_simply";
        try (Connection connection = connect(mode)) {
            run(connection, "create table " + table + " (id int, name text)");
            run(connection, "create unique index async by_name_" + table + " on " + table + " (name)");
            assertThat(value(connection, "select count(*) from pg_indexes where indexname = 'by_name_" + table + "'"))
                    .isEqualTo("1");
            assertRefused(() -> run(connection, "create index on " + table + " (id)"), "0A000", "CREATE INDEX ASYNC");
        }
    }
}
