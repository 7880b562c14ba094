package dev.reservoir.emulator;

import static dev.reservoir.emulator.Client.assertRefused;
import static dev.reservoir.emulator.Client.run;
import static dev.reservoir.emulator.Client.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.emulator.junit.EmulatorExtension;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** No transaction waits for another: the first to commit wins, and the others fail at their COMMIT. */
@Timeout(120)
class CommitConflictTest {
    private static final String CONFLICT = "change conflicts with another transaction (OC000)";
    private static final String SIMPLE = "&preferQueryMode=simple";
    private static final String PREPARED = "&prepareThreshold=1";

    @RegisterExtension
    static final EmulatorExtension dsql = EmulatorExtension.with(builder -> builder);

    private Connection first;
    private Connection second;

    @BeforeEach
    void freshTables() throws SQLException {
        try (Connection connection = connect("")) {
            for (String table : List.of("orders", "accounts", "keys")) {
                run(connection, "drop table if exists " + table);
            }
            run(connection, "create table accounts (id int primary key, balance int, version int default 0)");
            run(
                    connection,
                    "create table orders (id uuid primary key default gen_random_uuid(), account int references accounts)");
            run(
                    connection,
                    "create table keys (id bigint generated always as identity (cache 1) primary key, name text unique)");
            run(connection, "insert into accounts values (1, 100), (2, 100), (3, 100)");
        }
        open("");
    }

    private void open(String mode) throws SQLException {
        close();
        first = connect(mode);
        second = connect(mode);
        first.setAutoCommit(false);
        second.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        if (first != null) {
            first.close();
            second.close();
        }
    }

    private static Connection connect(String mode) throws SQLException {
        return Client.connect(dsql.emulator(), mode);
    }

    private static int update(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeUpdate(sql);
        }
    }

    private static void assertConflict(Connection connection) {
        assertRefused(connection::commit, "40001", CONFLICT);
    }

    private String now(String sql) throws SQLException {
        try (Connection connection = connect("")) {
            return value(connection, sql);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", SIMPLE, PREPARED})
    void bothWritersOfARowAreAnsweredAndTheSecondCommitFails(String mode) throws SQLException {
        open(mode);
        long before = dsql.emulator().counters().conflicts();
        assertThat(update(first, "update accounts set balance = 1 where id = 1"))
                .isEqualTo(1);
        assertThat(update(second, "update accounts set balance = 2 where id = 1"))
                .isEqualTo(1);
        assertThat(value(first, "select balance from accounts where id = 1")).isEqualTo("1");
        assertThat(value(second, "select balance from accounts where id = 1")).isEqualTo("2");
        first.commit();
        assertConflict(second);
        assertThat(dsql.emulator().counters().conflicts()).isEqualTo(before + 1);
        assertThat(now("select balance from accounts where id = 1")).isEqualTo("1");

        // The transaction is over, and the connection still works.
        second.rollback();
        assertThat(update(second, "update accounts set balance = balance + 5 where id = 1"))
                .isEqualTo(1);
        second.commit();
        assertThat(now("select balance from accounts where id = 1")).isEqualTo("6");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", SIMPLE, PREPARED})
    void theFirstToCommitWinsAlthoughTheOtherWroteFirst(String mode) throws SQLException {
        open(mode);
        update(first, "update accounts set balance = 1 where id = 1");
        update(second, "update accounts set balance = 2 where id = 1");
        update(second, "update accounts set balance = 2 where id = 2");
        second.commit();
        assertConflict(first);
        assertThat(now("select string_agg(balance::text, ',' order by id) from accounts"))
                .isEqualTo("2,2,100");
    }

    @Test
    void aLoserSeesItsOwnChangesUntilItsCommit() throws SQLException {
        update(first, "update accounts set balance = 1 where id = 1");
        update(second, "update accounts set balance = 2 where id = 1");
        second.commit();
        assertThat(value(first, "select balance from accounts where id = 1")).isEqualTo("1");
        assertThat(update(first, "update accounts set balance = balance + 10 where id = 1 and balance = 1"))
                .isEqualTo(1);
        assertThat(value(first, "select sum(balance) from accounts")).isEqualTo("211");
        assertConflict(first);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", SIMPLE, PREPARED})
    void ifTheFirstWriterRollsBackTheSecondIsCommitted(String mode) throws SQLException {
        open(mode);
        update(second, "update accounts set balance = 20 where id = 3");
        update(first, "update accounts set balance = 1 where id = 1");
        update(second, "update accounts set balance = 2 where id = 1");
        update(second, "update accounts set balance = balance + 1 where id = 1");
        first.rollback();
        second.commit();
        assertThat(now("select string_agg(balance::text, ',' order by id) from accounts"))
                .isEqualTo("3,100,20");
    }

    @Test
    void aTransactionThatGaveWayIsCommittedIfTheOtherIsNot() throws SQLException {
        update(first, "update accounts set balance = 1 where id = 1");
        try (Connection third = connect("")) {
            // Fails after the first transaction has given way to it.
            assertRefused(
                    () -> update(third, "update accounts set balance = 1 / (id - 2) where id < 3"),
                    "22012",
                    "division by zero");
        }
        update(first, "update accounts set balance = balance + 1 where id = 1");
        first.commit();
        assertThat(now("select balance from accounts where id = 1")).isEqualTo("2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", SIMPLE, PREPARED})
    void aRowChangedSinceTheSnapshotIsWrittenAndRefusedAtCommit(String mode) throws SQLException {
        open(mode);
        assertThat(value(second, "select balance from accounts where id = 1")).isEqualTo("100");
        try (Connection third = connect(mode)) {
            update(third, "update accounts set balance = 50, version = 1 where id = 1");
        }
        // The snapshot is older than the other's change, which therefore does not show.
        assertThat(update(second, "update accounts set balance = balance - 1 where id = 1 and version = 0"))
                .isEqualTo(1);
        assertThat(value(second, "update accounts set version = 7 where id = 1 returning balance"))
                .isEqualTo("99");
        assertThat(value(second, "select balance from accounts where id = 1")).isEqualTo("99");
        assertConflict(second);
        assertThat(now("select balance from accounts where id = 1")).isEqualTo("50");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", SIMPLE})
    void whoWritesWithoutATransactionOvertakesOpenOnes(String mode) throws SQLException {
        update(first, "update accounts set balance = 1 where id = 1");
        try (Connection third = connect(mode)) {
            assertThat(update(third, "update accounts set balance = 3 where id = 1"))
                    .isEqualTo(1);
            assertThat(value(third, "select balance from accounts where id = 1"))
                    .isEqualTo("3");
        }
        assertThat(value(first, "select balance from accounts where id = 1")).isEqualTo("1");
        assertConflict(first);
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void lockingARowConflictsWithWritingItWhicheverCommitsLast(boolean locksFirst, boolean lockerCommitsFirst)
            throws SQLException {
        Connection locker = first;
        Connection writer = second;
        if (locksFirst) {
            assertThat(value(locker, "select balance from accounts where id = 1 for update"))
                    .isEqualTo("100");
        }
        assertThat(update(writer, "update accounts set balance = 2 where id = 1"))
                .isEqualTo(1);
        if (!locksFirst) {
            assertThat(value(locker, "select balance from accounts where id = 1 for update"))
                    .isEqualTo("100");
        }
        (lockerCommitsFirst ? locker : writer).commit();
        assertConflict(lockerCommitsFirst ? writer : locker);
        assertThat(now("select balance from accounts where id = 1")).isEqualTo(lockerCommitsFirst ? "100" : "2");
    }

    @Test
    void deletingAReferencedRowConflictsWithReferringToIt() throws SQLException {
        update(first, "insert into orders (account) values (1)");
        assertThat(update(second, "delete from accounts where id = 1")).isEqualTo(1);
        first.commit();
        assertConflict(second);
        first.rollback();

        assertThat(value(first, "select id from accounts where id = 2 for key share"))
                .isEqualTo("2");
        assertThat(update(second, "delete from accounts where id = 2")).isEqualTo(1);
        second.commit();
        assertConflict(first);

        update(first, "delete from accounts where id = 3");
        assertThat(update(second, "insert into orders (account) values (3)")).isEqualTo(1);
        second.commit();
        assertConflict(first);
    }

    @Test
    void whatDoesNotConflictIsCommitted() throws SQLException {
        update(first, "update accounts set balance = 1 where id = 1");
        update(second, "update accounts set balance = 2 where id = 2");
        assertThat(value(second, "select balance from accounts where id = 1")).isEqualTo("100");
        first.commit();
        assertThat(value(second, "select balance from accounts where id = 1")).isEqualTo("100");
        second.commit();

        // Changes a column that is not the key of the row to which the other transaction refers.
        update(first, "insert into orders (account) values (1)");
        update(second, "update accounts set balance = 5 where id = 1");
        first.commit();
        second.commit();
        assertThat(now("select string_agg(balance::text, ',' order by id) from accounts"))
                .isEqualTo("5,2,100");
    }

    @Test
    void whoOnlyReadsNeverConflicts() throws SQLException {
        value(first, "select balance from accounts where id = 1");
        update(second, "update accounts set balance = 2 where id = 1");
        second.commit();
        assertThat(value(first, "select balance from accounts where id = 1")).isEqualTo("100");
        first.commit();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", SIMPLE})
    void twoInsertsOfTheSameKeyConflictAtTheSecondCommit(String mode) throws SQLException {
        open(mode);
        assertThat(update(first, "insert into accounts values (9, 1)")).isEqualTo(1);
        assertThat(update(second, "insert into accounts values (9, 2)")).isEqualTo(1);
        first.commit();
        assertConflict(second);
        second.rollback();
        assertRefused(() -> update(second, "insert into accounts values (9, 2)"), "23505", "accounts_pkey");
        second.rollback();

        update(first, "insert into accounts values (10, 1)");
        update(second, "insert into accounts values (10, 2)");
        first.rollback();
        second.commit();
        assertThat(now("select balance from accounts where id = 10")).isEqualTo("2");
    }

    @Test
    void aKeyInsertedSinceTheSnapshotConflictsAtCommit() throws SQLException {
        value(second, "select count(*) from accounts");
        update(first, "insert into accounts values (9, 1)");
        first.commit();
        assertThat(update(second, "insert into accounts values (9, 2)")).isEqualTo(1);
        assertThat(value(second, "select balance from accounts where id = 9")).isEqualTo("2");
        assertConflict(second);

        // A key in the snapshot is a duplicate at once, whatever else has changed.
        value(second, "select count(*) from accounts");
        update(first, "update accounts set balance = 0 where id = 2");
        first.commit();
        assertRefused(() -> update(second, "insert into accounts values (9, 2)"), "23505", "accounts_pkey");
    }

    @Test
    void crosswiseWritersDoNotLockEachOther() throws SQLException {
        update(first, "update accounts set balance = 1 where id = 1");
        update(second, "update accounts set balance = 2 where id = 2");
        assertThat(update(first, "update accounts set balance = 1 where id = 2"))
                .isEqualTo(1);
        assertThat(update(second, "update accounts set balance = 2 where id = 1"))
                .isEqualTo(1);
        first.commit();
        assertConflict(second);
        assertThat(now("select string_agg(balance::text, ',' order by id) from accounts"))
                .isEqualTo("1,1,100");
    }

    @Test
    void aBatchWithReturnedKeysIsAnsweredInFullByBothSides() throws SQLException {
        for (Connection connection : List.of(first, second)) {
            try (PreparedStatement statement = connection.prepareStatement(
                    "update public.accounts set balance = ? where accounts.id = ?", new String[] {"id", "balance"})) {
                for (int id = 1; id <= 3; id++) {
                    statement.setInt(1, connection == first ? 10 : 20);
                    statement.setInt(2, id);
                    statement.addBatch();
                }
                assertThat(statement.executeBatch()).containsExactly(1, 1, 1);
                List<Integer> keys = new ArrayList<>();
                try (ResultSet rows = statement.getGeneratedKeys()) {
                    while (rows.next()) {
                        keys.add(rows.getInt(1) * 100 + rows.getInt(2));
                    }
                }
                assertThat(keys).hasSize(3).contains(connection == first ? 110 : 120);
            }
        }
        second.commit();
        assertConflict(first);
        assertThat(now("select sum(balance) from accounts")).isEqualTo("60");
    }

    @Test
    void keysThatTheServerMadeStayThoseThatTheClientWasTold() throws SQLException {
        String id = value(first, "insert into orders (account) values (1) returning id");
        update(first, "update accounts set balance = 1 where id = 1");
        update(second, "update accounts set balance = 2 where id = 1");
        first.commit();
        assertThat(now("select id from orders")).isEqualTo(id);

        // In the other order, the transaction without such keys gives way.
        second.rollback();
        String other = value(second, "insert into orders (account) values (1) returning id");
        update(first, "update accounts set balance = 1 where id = 1");
        assertThat(update(second, "update accounts set balance = 2 where id = 1"))
                .isEqualTo(1);
        assertThat(value(first, "select balance from accounts where id = 1")).isEqualTo("1");
        second.commit();
        assertConflict(first);
        assertThat(now("select count(*) from orders where id in ('" + id + "', '" + other + "')"))
                .isEqualTo("2");
    }

    @Test
    void ifBothHaveBeenToldKeysTheSecondWriterConflictsAtItsStatement() throws SQLException {
        String id = value(first, "insert into orders (account) values (2) returning id");
        value(second, "insert into orders (account) values (2) returning id");
        update(first, "update accounts set balance = 1 where id = 1");
        assertRefused(() -> update(second, "update accounts set balance = 2 where id = 1"), "40001", CONFLICT);
        first.commit();
        second.rollback();
        assertThat(now("select id from orders")).isEqualTo(id);
    }

    @Test
    void identitiesWorkOnCopiesToo() throws SQLException {
        update(first, "insert into keys (name) values ('a')");
        String key = value(second, "insert into keys (name) values ('a') returning id");
        assertThat(value(second, "select name from keys where id = " + key)).isEqualTo("a");
        first.commit();
        assertConflict(second);
    }

    @Test
    void aTableOfManyRowsConflictsAtTheStatement() throws SQLException {
        try (Connection third = connect("")) {
            for (int i = 0; i < 4; i++) {
                int from = 1000 + i * 3000;
                update(
                        third,
                        "insert into accounts select i, 0 from generate_series(" + from + ", " + (from + 2999) + ") i");
            }
        }
        update(first, "update accounts set balance = 1 where id = 1");
        assertRefused(() -> update(second, "update accounts set balance = 2 where id = 1"), "40001", CONFLICT);
        assertRefused(() -> run(second, "select 1"), "25P02", "aborted");
        second.rollback();
        first.commit();
    }

    @Test
    void whatWasCopiedInCannotBeRepeatedAndLoses() throws Exception {
        update(first, "update accounts set balance = 7 where id = 2");
        first.unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn("copy accounts (id, balance) from stdin", new StringReader("20\t1\n"));
        update(second, "update accounts set balance = 2 where id = 2");
        second.commit();
        assertConflict(first);
        assertThat(now("select count(*) from accounts where id = 20")).isEqualTo("0");
    }

    @Test
    void aSchemaIsChangedInSpiteOfAnOpenWriter() throws SQLException {
        update(first, "update accounts set balance = 1 where id = 1");
        try (Connection third = connect("")) {
            run(third, "alter table accounts add column note text");
        }
        assertRefused(first::commit, "40001", "(OC001)");
    }

    @Test
    void noUpdateIsLostAmongManyWritersWhoTryAgain() throws Exception {
        int writers = 4;
        int rounds = 15;
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        try {
            List<Future<Integer>> done = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                int row = 1 + i % 2;
                Callable<Integer> writer = () -> increments(row, rounds);
                done.add(threads.submit(writer));
            }
            for (Future<Integer> one : done) {
                assertThat(one.get(100, TimeUnit.SECONDS)).isEqualTo(rounds);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(now("select string_agg(balance::text, ',' order by id) from accounts"))
                .isEqualTo("130,130," + (100 + writers * rounds));
    }

    /** Adds one to a row and to the third row, {@code rounds} times, in transactions that read first. */
    private static int increments(int row, int rounds) throws SQLException {
        int committed = 0;
        try (Connection connection = connect("")) {
            connection.setAutoCommit(false);
            for (int attempts = 0; committed < rounds && attempts < 100 * rounds; attempts++) {
                try {
                    int read = Integer.parseInt(value(connection, "select balance from accounts where id = " + row));
                    update(connection, "update accounts set balance = " + (read + 1) + " where id = " + row);
                    update(connection, "update accounts set balance = balance + 1 where id = 3");
                    connection.commit();
                    committed++;
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isEqualTo("40001");
                    connection.rollback();
                }
            }
        }
        return committed;
    }
}
