package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static dev.reservoir.emulator.Client.run;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.emulator.junit.EmulatorExtension;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conflicts of data and of schema, and what does not go together in a transaction. */
class ConflictTest {
    private static final String DATA = "change conflicts with another transaction (OC000)";
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

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void theSecondWriterOfARowConflicts(String mode) throws SQLException {
        long before = dsql.emulator().counters().conflicts();
        try (Connection first = Client.connect(dsql.emulator(), mode);
                Connection second = Client.connect(dsql.emulator(), mode)) {
            second.setAutoCommit(false);
            assertThat(value(second, "select balance from accounts where id = 1"))
                    .isEqualTo("100");
            run(first, "update accounts set balance = 50 where id = 1");
            assertRefused(() -> run(second, "update accounts set balance = balance - 1 where id = 1"), "40001", DATA);
            second.rollback();
            run(second, "update accounts set balance = balance - 1 where id = 1");
            second.commit();
            assertThat(value(first, "select balance from accounts where id = 1"))
                    .isEqualTo("49");
        }
        assertThat(dsql.emulator().counters().conflicts()).isEqualTo(before + 1);
    }

    @Test
    void aDeadlockIsAConflictToo() throws Exception {
        try (Connection first = connect();
                Connection second = connect()) {
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            run(first, "update accounts set balance = 1 where id = 1");
            run(second, "update accounts set balance = 2 where id = 2");
            CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    run(first, "update accounts set balance = 1 where id = 2");
                    return "";
                } catch (SQLException e) {
                    return e.getSQLState();
                }
            });
            String other = "";
            try {
                run(second, "update accounts set balance = 2 where id = 1");
            } catch (SQLException e) {
                other = e.getSQLState();
            }
            second.rollback();
            assertThat(waiting.get(60, TimeUnit.SECONDS) + other).isEqualTo("40001");
        }
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
            // The driver need not roll back: the server is out of the transaction already.
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
