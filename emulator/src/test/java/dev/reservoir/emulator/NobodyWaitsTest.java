package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static dev.reservoir.emulator.Client.run;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.reservoir.emulator.junit.EmulatorExtension;
import dev.reservoir.pgwire.message.ClientMessages;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/** No client waits for the transaction of another longer than a bound, and no lock stays behind. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NobodyWaitsTest {
    private static final String CONFLICT = "change conflicts with another transaction (OC000)";
    private static final String SIMPLE = "&preferQueryMode=simple";

    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder);

    private final List<Connection> opened = new ArrayList<>();
    private Connection first;
    private Connection second;

    @BeforeEach
    void freshTables() throws SQLException {
        try (Connection connection = Client.connect(dsql.emulator())) {
            run(connection, "drop view if exists rich");
            run(connection, "drop table if exists accounts");
            run(
                    connection,
                    "create table accounts (id int primary key, balance int, name text constraint one_name unique)");
            run(connection, "create view rich as select id, balance from accounts where balance >= 100");
            run(connection, "insert into accounts values (1, 100, 'a'), (2, 100, 'b'), (3, 100, 'c')");
        }
        first = begin("");
        second = begin("");
    }

    private Connection begin(String mode) throws SQLException {
        Connection connection = Client.connect(dsql.emulator(), mode);
        connection.setAutoCommit(false);
        opened.add(connection);
        return connection;
    }

    /** No test leaves a lock behind once its connections are closed. */
    @AfterEach
    void noLockIsLeft() throws SQLException {
        for (Connection connection : opened) {
            connection.close();
        }
        String locks =
                "select count(*) from pg_locks l join pg_class c on c.oid = l.relation where c.relname = 'accounts'";
        try (Connection connection = Client.connect(dsql.emulator())) {
            await().untilAsserted(() -> assertThat(value(connection, locks)).isEqualTo("0"));
        }
    }

    private static int update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private static void assertConflict(Connection connection) {
        assertRefused(connection::commit, "40001", CONFLICT);
    }

    private static String now(String sql) throws SQLException {
        try (Connection connection = Client.connect(dsql.emulator())) {
            return value(connection, sql);
        }
    }

    private static void alone(String sql) throws SQLException {
        try (Connection connection = Client.connect(dsql.emulator())) {
            run(connection, sql);
        }
    }

    @Test
    void aClientThatGoesInTheMiddleOfAStatementLeavesNoLock() throws Exception {
        update(first, "update accounts set balance = 1 where id = 1");
        CompletableFuture<Void> asleep = CompletableFuture.runAsync(() -> {
            try {
                run(first, "select pg_sleep(600)");
            } catch (SQLException e) {
                // The connection is closed.
            }
        });
        await().untilAsserted(
                        () -> assertThat(now("select count(*) from pg_stat_activity where wait_event = 'PgSleep'"))
                                .isEqualTo("1"));
        first.abort(Runnable::run);
        asleep.join();
        update(second, "update accounts set balance = 2 where id = 1");
        second.commit();
        alone("update accounts set balance = balance + 1 where id = 1");
        assertThat(now("select balance from accounts where id = 1")).isEqualTo("3");
        await().untilAsserted(
                        () -> assertThat(now("select count(*) from pg_stat_activity where wait_event = 'PgSleep'"))
                                .isEqualTo("0"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", SIMPLE})
    void aSchemaIsChangedInSpiteOfAnOpenReader(String mode) throws SQLException {
        Connection reader = begin(mode);
        assertThat(value(reader, "select balance from accounts where id = 1")).isEqualTo("100");
        alone("alter table accounts add column note text");
        assertRefused(() -> value(reader, "select balance from accounts where id = 1"), "40001", "(OC001)");
        assertRefused(() -> value(reader, "select 1"), "25P02", "aborted");
        reader.rollback();
        assertThat(value(reader, "select note from accounts where id = 1")).isNull();
    }

    @Test
    void aSchemaIsChangedInSpiteOfAReaderThatCommits() throws SQLException {
        value(first, "select balance from accounts where id = 1");
        alone("alter table accounts add column note text");
        assertRefused(first::commit, "40001", "(OC001)");
        assertThat(value(first, "select note from accounts where id = 1")).isNull();
    }

    @Test
    void aSchemaIsChangedInSpiteOfATransactionThatReadBeforeItWrote() throws SQLException {
        value(first, "select balance from accounts where id = 1");
        update(first, "update accounts set balance = 1 where id = 1");
        alone("alter table accounts add column note text");
        assertRefused(first::commit, "40001", "(OC001)");
        assertThat(now("select balance from accounts where id = 1")).isEqualTo("100");
    }

    @Test
    void aSchemaIsChangedInSpiteOfATransactionThatHasFailed() throws SQLException {
        value(first, "select balance from accounts where id = 1");
        update(first, "update accounts set balance = 1 where id = 1");
        assertRefused(() -> run(first, "select 1 / 0"), "22012", "division by zero");
        alone("alter table accounts add column note text");
        assertRefused(() -> run(first, "select 1"), "25P02", "aborted");
        first.rollback();
        value(first, "select note from accounts where id = 1");
    }

    @Test
    void aCopyThatIsNotEndedHoldsNobodyUp() throws Exception {
        CopyIn copy = first.unwrap(PGConnection.class).getCopyAPI().copyIn("copy accounts (id, balance) from stdin");
        byte[] row = "50\t1\n".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 20_000; i++) {
            byte[] line = i == 0 ? row : ((1000 + i) + "\t1\n").getBytes(StandardCharsets.UTF_8);
            copy.writeToCopy(line, 0, line.length);
        }
        copy.flushCopy();
        await().untilAsserted(() -> assertThat(
                        now(
                                "select count(*) from pg_locks l join pg_class c on c.oid = l.relation where relname = 'accounts'"))
                .isNotEqualTo("0"));
        assertThat(update(second, "insert into accounts values (50, 2)")).isEqualTo(1);
        long since = System.nanoTime();
        try {
            second.commit();
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isEqualTo("40001");
        }
        assertThat((System.nanoTime() - since) / 1_000_000_000L).isLessThan(15);
        first.abort(Runnable::run);
    }

    @Test
    void aPipelineWithoutSyncHoldsNobodyUpForLong() throws Exception {
        try (WireClient wire = WireClient.open(dsql.emulator())) {
            wire.send(
                    ClientMessages.parse("", "update accounts set balance = 9 where id = 1"),
                    ClientMessages.bind("", ""),
                    ClientMessages.execute(""),
                    ClientMessages.flush());
            await().untilAsserted(() -> assertThat(
                            now(
                                    "select count(*) from pg_locks l join pg_class c on c.oid = l.relation where relname = 'accounts'"))
                    .isNotEqualTo("0"));
            assertThat(update(second, "update accounts set balance = 2 where id = 1"))
                    .isEqualTo(1);
            assertConflict(second);
        }
    }

    @Test
    void aViewShowsWhatItsTransactionHasWritten() throws SQLException {
        update(first, "update accounts set balance = 1 where id = 1");
        update(second, "update accounts set balance = 200 where id = 1");
        assertThat(value(second, "select balance from rich where id = 1")).isEqualTo("200");
        assertThat(value(second, "select sum(balance) from public.rich")).isEqualTo("400");
        first.commit();
        assertConflict(second);
    }

    @Test
    void rowsAreChangedThroughAViewThatIsNotTheTable() throws SQLException {
        update(first, "update accounts set balance = 1 where id = 1");
        assertThat(update(second, "update rich set balance = 300 where id = 1")).isEqualTo(1);
        assertThat(value(second, "select balance from accounts where id = 1")).isEqualTo("300");
        first.rollback();
        second.commit();
        assertThat(now("select balance from accounts where id = 1")).isEqualTo("300");
    }

    @Test
    void aStatementPreparedInSqlNeverReadsPastWhatItsTransactionWrote() throws SQLException {
        run(second, "prepare look as select balance from accounts where id = 1");
        run(second, "prepare raise as update accounts set balance = balance + 1 where id = 1");
        second.commit();
        update(first, "update accounts set balance = 1 where id = 1");
        update(second, "update accounts set balance = 200 where id = 1");
        assertRefused(() -> value(second, "execute look"), "40001", CONFLICT);
        second.rollback();
        assertRefused(() -> run(second, "execute raise"), "40001", CONFLICT);
        second.rollback();
        first.commit();
        assertThat(value(second, "execute look")).isEqualTo("1");
    }

    @Test
    void constraintsKeepTheirNamesOnCopies() throws SQLException {
        update(first, "update accounts set balance = 1 where id = 1");
        assertThat(
                        update(
                                second,
                                "insert into accounts values (1, 7, 'a') on conflict (id) do update set balance = excluded.balance"))
                .isEqualTo(1);
        assertThat(value(
                        second,
                        "insert into accounts values (9, 7, 'b') on conflict on constraint one_name"
                                + " do update set balance = accounts.balance + excluded.balance returning balance"))
                .isEqualTo("107");
        assertRefused(() -> update(second, "insert into accounts values (9, 7, 'b')"), "23505", "\"one_name\"");
        second.rollback();
        first.commit();
    }

    @Test
    void insertsThatGiveWayToAKeyConflictIfTheKeyIsCommitted() throws SQLException {
        for (String way : List.of("do nothing", "(id) do update set balance = 5")) {
            update(first, "insert into accounts values (9, 1)");
            assertThat(update(second, "insert into accounts values (9, 2) on conflict " + way))
                    .isEqualTo(1);
            assertThat(value(second, "select balance from accounts where id = 9"))
                    .isEqualTo("2");
            first.commit();
            assertConflict(second);
            alone("delete from accounts where id = 9");
        }
    }

    @Test
    void aUniqueValueConflictsAtCommit() throws SQLException {
        update(first, "insert into accounts values (8, 1, 'x')");
        assertThat(update(second, "insert into accounts values (9, 1, 'x')")).isEqualTo(1);
        assertThat(value(second, "select id from accounts where name = 'x'")).isEqualTo("9");
        first.commit();
        assertConflict(second);

        update(first, "update accounts set name = 'y' where id = 1");
        assertThat(update(second, "update accounts set name = 'y' where id = 2"))
                .isEqualTo(1);
        first.rollback();
        second.commit();
        assertThat(now("select string_agg(name, ',' order by id) from accounts"))
                .isEqualTo("a,y,c,x");
    }

    @Test
    void ofThreeWritersTheFirstToCommitWins() throws SQLException {
        Connection third = begin("");
        for (Connection writer : List.of(first, second, third)) {
            assertThat(value(writer, "update accounts set balance = balance + 1 where id = 1 returning balance"))
                    .isEqualTo("101");
        }
        second.commit();
        assertConflict(third);
        assertConflict(first);
        assertThat(now("select balance from accounts where id = 1")).isEqualTo("101");
    }

    @Test
    void aDeleteAndAnUpdateConflictInEitherOrder() throws SQLException {
        update(first, "delete from accounts where id = 1");
        assertThat(update(second, "update accounts set balance = 7 where id = 1"))
                .isEqualTo(1);
        first.commit();
        assertConflict(second);

        update(first, "delete from accounts where id = 2");
        update(second, "update accounts set balance = 7 where id = 2");
        second.commit();
        assertConflict(first);
        assertThat(now("select balance from accounts where id = 2")).isEqualTo("7");

        // Two deletes of a row conflict as well.
        assertThat(update(first, "delete from accounts where id = 3")).isEqualTo(1);
        assertThat(update(second, "delete from accounts where id = 3")).isEqualTo(1);
        first.commit();
        assertConflict(second);
    }

    @Test
    void writeSkewIsAllowed() throws SQLException {
        value(first, "select sum(balance) from accounts");
        value(second, "select sum(balance) from accounts");
        update(first, "update accounts set balance = 0 where id = 1");
        update(second, "update accounts set balance = 0 where id = 2");
        first.commit();
        second.commit();
        assertThat(now("select sum(balance) from accounts")).isEqualTo("100");
    }

    @Test
    void manyRowsConflictLikeFew() throws SQLException {
        update(first, "insert into accounts select i, 0 from generate_series(1000, 3998) i");
        update(first, "update accounts set balance = 1 where id = 1");
        assertThat(update(second, "insert into accounts select i, 1 from generate_series(1000, 3997) i"))
                .isEqualTo(2998);
        assertThat(update(second, "update accounts set balance = 2 where id = 1"))
                .isEqualTo(1);
        assertThat(value(second, "select sum(balance) from accounts")).isEqualTo("3200");
        first.commit();
        assertConflict(second);
        assertThat(now("select count(*) from accounts")).isEqualTo("3002");
    }

    @Test
    void aPortalIsReadOnInPartsUntilItsTransactionIsOvertaken() throws SQLException {
        List<Integer> read = new ArrayList<>();
        try (PreparedStatement statement =
                first.prepareStatement("select id from accounts where id < ? order by id for update")) {
            statement.setFetchSize(1);
            statement.setInt(1, 10);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                read.add(rows.getInt(1));
                assertThat(update(second, "update accounts set balance = 2 where id = 1"))
                        .isEqualTo(1);
                second.commit();
                assertRefused(
                        () -> {
                            while (rows.next()) {
                                read.add(rows.getInt(1));
                            }
                            first.commit();
                        },
                        "40001",
                        CONFLICT);
            }
        }
        assertThat(read).startsWith(1);
        first.rollback();
        assertThat(value(first, "select balance from accounts where id = 1")).isEqualTo("2");
    }

    @Test
    void aScriptThatWouldWaitInItsMiddleReadsWhatItWrote() throws SQLException {
        update(first, "update accounts set balance = 1 where id = 1");
        try (Connection script = Client.connect(dsql.emulator(), SIMPLE);
                Statement statement = script.createStatement()) {
            statement.execute("begin; update accounts set balance = 50 where id = 2;"
                    + " update accounts set balance = balance + 7 where id = 1;"
                    + " select string_agg(balance::text, ',' order by id) from accounts;"
                    + " delete from accounts where id = 3; select count(*) from accounts");
            List<String> found = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                if (i > 0) {
                    statement.getMoreResults();
                }
                try (ResultSet rows = statement.getResultSet()) {
                    if (rows != null && rows.next()) {
                        found.add(rows.getString(1));
                    }
                }
            }
            assertThat(found).containsExactly("107,50,100", "2");
            first.rollback();
            run(script, "commit");
        }
        assertThat(now("select string_agg(balance::text, ',' order by id) from accounts"))
                .isEqualTo("107,50");
    }
}
