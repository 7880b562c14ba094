package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static dev.reservoir.emulator.Client.run;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.emulator.junit.EmulatorExtension;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** A transaction that is over a limit ends, and nothing of it is committed. */
class TransactionLimitsTest {
    private static final MovableClock CLOCK = new MovableClock();
    private static final String ROWS = "transaction row limit exceeded";
    private static final String ABORTED = "current transaction is aborted";

    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder.clock(CLOCK));

    @BeforeEach
    void emptyTable() throws SQLException {
        dsql.emulator().limits(Limits.dsql());
        try (Connection connection = Client.connect(dsql.emulator())) {
            run(connection, "create table if not exists big (id int, pad text)");
            run(connection, "drop table big");
            run(connection, "create table big (id int, pad text)");
        }
    }

    private static Connection connect(String more) throws SQLException {
        return Client.connect(dsql.emulator(), more);
    }

    private static String insert(int rows) {
        return "insert into big select i, 'x' from generate_series(1, " + rows + ") i";
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void onItsOwnAStatementMayChange3000RowsAndNotOneMore(String mode) throws SQLException {
        try (Connection connection = connect(mode)) {
            run(connection, insert(3000));
            assertThat(value(connection, "select count(*) from big")).isEqualTo("3000");
            assertRefused(() -> run(connection, "update big set pad = 'y'; " + insert(1)), "54000", ROWS);
            assertRefused(() -> run(connection, insert(3001)), "54000", ROWS);
            assertThat(value(connection, "select count(*) from big where pad = 'x'"))
                    .isEqualTo("3000");
            assertThat(connection.isValid(5)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&preferQueryMode=simple"})
    void rowsOfAllStatementsCountAndAfterwardsOnlyRollbackHelps(String mode) throws SQLException {
        long before = dsql.emulator().counters().transactionsOverLimit();
        try (Connection connection = connect(mode)) {
            connection.setAutoCommit(false);
            run(connection, insert(2000));
            run(connection, "delete from big where id <= 500");
            assertRefused(() -> run(connection, insert(501)), "54000", ROWS);
            assertRefused(() -> run(connection, "select 1"), "25P02", ABORTED);
            connection.rollback();
            run(connection, insert(3000));
            connection.commit();
            assertThat(value(connection, "select count(*) from big")).isEqualTo("3000");
        }
        assertThat(dsql.emulator().counters().transactionsOverLimit()).isEqualTo(before + 1);
    }

    @Test
    void rowsOfStatementsPreparedInSqlCountToo() throws SQLException {
        try (Connection connection = connect("&preferQueryMode=simple")) {
            run(connection, "prepare fill (int) as insert into big select i, 'x' from generate_series(1, $1) i");
            run(connection, "prepare look as select * from generate_series(1, 5000)");
            run(connection, "begin");
            run(connection, "execute look");
            run(connection, "execute fill (2000)");
            assertRefused(() -> run(connection, "execute fill (1001)"), "54000", ROWS);
            run(connection, "rollback");
            assertRefused(() -> run(connection, "execute fill (3001)"), "54000", ROWS);
            run(connection, "execute fill (3000)");
            assertThat(value(connection, "select count(*) from big")).isEqualTo("3000");
        }
    }

    @Test
    void aCommitAfterTheLimitCommitsNothing() throws SQLException {
        try (Connection connection = connect("&preferQueryMode=simple")) {
            run(connection, "begin");
            run(connection, insert(10));
            assertRefused(() -> run(connection, insert(3000)), "54000", ROWS);
            run(connection, "commit");
            assertThat(value(connection, "select count(*) from big")).isEqualTo("0");
        }
    }

    @Test
    void aScriptWithItsOwnCommitCommitsNothingOverTheLimit() throws SQLException {
        try (Connection connection = connect("&preferQueryMode=simple")) {
            assertRefused(() -> run(connection, "begin; " + insert(3001) + "; commit"), "54000", ROWS);
            run(connection, "rollback");
            assertThat(value(connection, "select count(*) from big")).isEqualTo("0");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBatchOverTheLimitStaysInStep(boolean autoCommit) throws SQLException {
        // Few enough for the driver to send them all before one Sync.
        dsql.emulator().limits(Limits.dsql().withTransactionRows(100));
        try (Connection connection = connect("")) {
            connection.setAutoCommit(autoCommit);
            assertRefused(() -> batch(connection, 150), "54000", ROWS);
            if (!autoCommit) {
                assertRefused(() -> run(connection, "select 1"), "25P02", ABORTED);
                connection.rollback();
            }
            assertThat(value(connection, "select count(*) from big")).isEqualTo("0");
            batch(connection, 100);
            assertThat(value(connection, "select count(*) from big")).isEqualTo("100");
        }
    }

    @Test
    void aBatchWithinTheLimitPasses() throws SQLException {
        try (Connection connection = connect("&reWriteBatchedInserts=true")) {
            connection.setAutoCommit(false);
            batch(connection, 3000);
            connection.commit();
            assertThat(value(connection, "select count(*) from big")).isEqualTo("3000");
        }
    }

    private static void batch(Connection connection, int rows) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("insert into big values (?, ?)")) {
            for (int i = 0; i < rows; i++) {
                statement.setInt(1, i);
                statement.setString(2, "row " + i);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    @Test
    void sizeCountsAcrossStatements() throws SQLException {
        dsql.emulator().limits(Limits.dsql().withTransactionBytes(1 << 20));
        String pad = "p".repeat(600_000);
        try (Connection connection = connect("");
                PreparedStatement statement = connection.prepareStatement("insert into big values (1, ?)")) {
            connection.setAutoCommit(false);
            statement.setString(1, pad);
            statement.execute();
            assertRefused(statement::execute, "54000", "transaction size limit 1mb exceeded");
            assertRefused(statement::execute, "25P02", ABORTED);
            connection.rollback();
            statement.execute();
            connection.commit();
        }
    }

    @Test
    void theDefaultSizeIsNamedAsDsqlNamesIt() throws SQLException {
        String pad = "p".repeat(11 << 20);
        try (Connection connection = connect("");
                PreparedStatement statement = connection.prepareStatement("insert into big values (1, ?)")) {
            statement.setString(1, pad);
            assertRefused(statement::execute, "54000", "transaction size limit 10mb exceeded");
        }
    }

    @Test
    void copyCountsToo() throws Exception {
        try (Connection connection = connect("")) {
            var copies = connection.unwrap(PGConnection.class).getCopyAPI();
            String rows = String.join("", Collections.nCopies(3000, "1\tx\n"));
            assertThat(copies.copyIn("copy big from stdin", new StringReader(rows)))
                    .isEqualTo(3000);
            assertRefused(() -> copies.copyIn("copy big from stdin", new StringReader(rows + "1\tx\n")), "54000", ROWS);
            assertRefused(() -> copies.copyIn("copy big from stdin", new StringReader("wrong\n")), "22P02", "invalid");
            assertThat(value(connection, "select count(*) from big")).isEqualTo("3000");
            StringBuilder read = new StringBuilder();
            var out = copies.copyOut("copy big to stdout");
            for (byte[] row = out.readFromCopy(); row != null; row = out.readFromCopy()) {
                read.append(new String(row, java.nio.charset.StandardCharsets.UTF_8));
            }
            assertThat(read.toString()).isEqualTo(rows);
        }
    }

    @Test
    void readingIsNotLimited() throws SQLException {
        try (Connection connection = connect("")) {
            assertThat(value(connection, "select count(*) from generate_series(1, 10000)"))
                    .isEqualTo("10000");
        }
    }

    @Test
    void anOldTransactionIsEndedAndItsLocksAreFree() throws SQLException {
        try (Connection old = connect("");
                Connection other = connect("")) {
            run(old, "insert into big values (1, 'x')");
            old.setAutoCommit(false);
            run(old, "update big set pad = 'old'");
            CLOCK.pass(Duration.ofSeconds(301));
            // Waits for the row until the transaction that holds it has been ended.
            run(other, "update big set pad = 'other'");
            assertRefused(() -> run(old, "select 1"), "54000", "transaction age limit of 300s exceeded");
            assertRefused(() -> run(old, "select 1"), "25P02", ABORTED);
            old.rollback();
            assertThat(value(old, "select pad from big")).isEqualTo("other");
        }
    }

    @Test
    void theCommitOfAnOldTransactionFails() throws SQLException {
        try (Connection connection = connect("")) {
            connection.setAutoCommit(false);
            run(connection, "insert into big values (1, 'x')");
            CLOCK.pass(Duration.ofSeconds(301));
            assertRefused(connection::commit, "54000", "transaction age limit of 300s exceeded");
            connection.rollback();
            assertThat(value(connection, "select count(*) from big")).isEqualTo("0");
        }
    }

    @Test
    void theAgeIsLookedAtWhileNothingHappens() throws SQLException {
        long before = dsql.emulator().counters().transactionsOverLimit();
        try (Connection connection = connect("");
                Connection other = connect("")) {
            connection.setAutoCommit(false);
            run(connection, "insert into big values (1, 'x')");
            CLOCK.pass(Duration.ofSeconds(301));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> value(
                                    other,
                                    "select count(*) from pg_stat_activity where state = 'idle in transaction (aborted)'")
                            .equals("1"));
            assertThat(dsql.emulator().counters().transactionsOverLimit()).isEqualTo(before);
            assertRefused(connection::commit, "54000", "transaction age limit of 300s exceeded");
            assertThat(dsql.emulator().counters().transactionsOverLimit()).isEqualTo(before + 1);
        }
    }
}
