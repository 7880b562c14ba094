package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static dev.reservoir.emulator.Client.run;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.emulator.junit.EmulatorExtension;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Conflicts of schemas, and statements that one transaction must not combine. {@link CommitConflictTest} covers
 * conflicts of data.
 */
class ConflictTest {
    private static final String SCHEMA = "schema has been updated by another transaction, please retry: (OC001)";

    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder);

    @BeforeEach
    void freshTable() throws SQLException {
        try (Connection connection = connect()) {
            run(connection, "drop table if exists accounts");
            run(connection, "create table accounts (id int primary key, balance int)");
            run(connection, "insert into accounts values (1, 100), (2, 100)");
        }
    }

    private static Connection connect() throws SQLException {
        return Client.connect(dsql.emulator());
    }

    @Test
    void aSchemaChangeFailsTheNextStatementOfOpenTransactionsOnce() throws SQLException {
        try (Connection open = connect();
                Connection changing = connect()) {
            open.setAutoCommit(false);
            run(open, "select 1");
            run(changing, "create table other (id int)");
            assertRefused(() -> run(open, "select 1"), "40001", SCHEMA);
            assertRefused(() -> run(open, "select 1"), "25P02", "aborted");
            open.rollback();
            run(open, "select 1");
            open.commit();
            run(changing, "drop table other");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void aSchemaChangeFailsTheCommitAndThatEndsTheTransaction(String mode) throws SQLException {
        try (Connection open = Client.connect(dsql.emulator(), mode);
                Connection changing = connect()) {
            open.setAutoCommit(false);
            run(open, "insert into accounts values (3, 1)");
            run(changing, "create table another (id int)");
            assertRefused(open::commit, "40001", SCHEMA);
            // The driver need not roll back: the server has already ended the transaction.
            open.setAutoCommit(true);
            assertThat(value(open, "select count(*) from accounts")).isEqualTo("2");
            run(changing, "drop table another");
        }
    }

    @Test
    void aSchemaChangeThatIsRolledBackDisturbsNobody() throws SQLException {
        try (Connection open = connect();
                Connection changing = connect()) {
            open.setAutoCommit(false);
            run(open, "select 1");
            changing.setAutoCommit(false);
            run(changing, "create table never (id int)");
            changing.rollback();
            run(open, "select 1");
            open.commit();
        }
    }

    @Test
    void oneSchemaChangeATransactionAndNoRowsBesideIt() throws SQLException {
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            run(connection, "create table one (id int)");
            assertRefused(
                    () -> run(connection, "create table two (id int)"),
                    "0A000",
                    "multiple ddl statements not supported in a transaction");
            connection.rollback();

            run(connection, "create table one (id int)");
            assertRefused(
                    () -> run(connection, "insert into one values (1)"), "0A000", "ddl and dml are not supported");
            connection.rollback();

            run(connection, "insert into accounts values (9, 9)");
            assertRefused(
                    () -> run(connection, "alter table accounts add column note text"),
                    "0A000",
                    "ddl and dml are not supported in the same transaction");
            connection.rollback();

            run(connection, "create table one (id int)");
            connection.commit();
            run(connection, "drop table one");
            connection.commit();
        }
    }

    @Test
    void severalSchemaChangesInOneSimpleQueryAreOneTransaction() throws SQLException {
        try (Connection connection = Client.connect(dsql.emulator(), "&preferQueryMode=simple");
                Statement statement = connection.createStatement()) {
            assertRefused(
                    () -> statement.execute("create table a1 (id int); create table a2 (id int)"),
                    "0A000",
                    "multiple ddl statements");
            assertRefused(() -> run(connection, "select * from a1"), "42P01", "does not exist");
            statement.execute("begin; create table a1 (id int); commit; begin; drop table a1; commit");
        }
    }
}
