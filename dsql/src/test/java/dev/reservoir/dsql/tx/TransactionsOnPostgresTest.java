package dev.reservoir.dsql.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.dsql.error.DsqlErrors;
import dev.reservoir.dsql.error.ErrorKind;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.testkit.RealPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Real conflicts of a real database. */
class TransactionsOnPostgresTest {
    private static final int THREADS = 6;

    private final DataSource dataSource = RealPostgres.repeatableRead();
    private final Retries quick = Retries.builder()
            .retries(100)
            .base(Duration.ofMillis(1))
            .cap(Duration.ofMillis(20))
            .jitter(1)
            .build();
    private final ExecutorService executor = Executors.newFixedThreadPool(THREADS);

    @BeforeEach
    void createTable() {
        RealPostgres.execute(
                "drop table if exists accounts",
                "create table accounts (id int primary key, amount bigint not null)",
                "insert into accounts values (1, 0), (2, 0)");
    }

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    private static long amount(Connection connection, int id) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select amount from accounts where id = " + id)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void set(Connection connection, int id, long amount) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("update accounts set amount = " + amount + " where id = " + id);
        }
    }

    private long amountNow(int id) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return amount(connection, id);
        }
    }

    private <T> List<T> together(List<Callable<T>> tasks) throws Exception {
        List<T> results = new ArrayList<>();
        for (Future<T> each : executor.invokeAll(tasks, 5, TimeUnit.MINUTES)) {
            results.add(each.get());
        }
        return results;
    }

    @Test
    void noUpdateIsLostWhenManyReadAndWriteTheSameRow() throws Exception {
        try (ReservoirDataSource reservoir = ReservoirDataSource.builder()
                .dataSource(dataSource)
                .maxOpen(THREADS)
                .build()) {
            Transactions transactions = Transactions.on(reservoir, quick);
            CyclicBarrier allHaveRead = new CyclicBarrier(THREADS);
            Callable<Void> adder = () -> {
                AtomicInteger own = new AtomicInteger();
                for (int i = 0; i < 25; i++) {
                    transactions.execute("add", tx -> {
                        long read = amount(tx, 1);
                        if (own.getAndIncrement() == 0) {
                            meet(allHaveRead);
                        }
                        set(tx, 1, read + 1);
                    });
                }
                return null;
            };

            together(Collections.nCopies(THREADS, adder));

            assertThat(amountNow(1)).isEqualTo(THREADS * 25L);
            assertThat(transactions.metrics().conflicts()).isGreaterThanOrEqualTo(THREADS - 1);
            assertThat(transactions.metrics().stats("add").committed()).isEqualTo(THREADS * 25L);
            assertThat(reservoir.stats().inUse()).isZero();
            assertThat(reservoir.stats().discards())
                    .as("a conflict costs no connection")
                    .isEmpty();
        }
    }

    @Test
    void aConflictThatOnlyTheCommitFindsRunsAllOfItAgain() throws Exception {
        Transactions transactions = Transactions.on(RealPostgres.serializable(), quick);
        CyclicBarrier bothHaveRead = new CyclicBarrier(2);
        AtomicInteger runs = new AtomicInteger();
        List<Callable<Void>> pair = new ArrayList<>();
        for (int mine = 1; mine <= 2; mine++) {
            int id = mine;
            pair.add(() -> {
                AtomicInteger own = new AtomicInteger();
                transactions.execute("skew", tx -> {
                    runs.incrementAndGet();
                    long sum = amount(tx, 1) + amount(tx, 2);
                    if (own.incrementAndGet() == 1) {
                        meet(bothHaveRead);
                    }
                    if (sum == 0) {
                        set(tx, id, 1);
                    }
                    if (own.get() == 1) {
                        meet(bothHaveRead);
                    }
                });
                return null;
            });
        }

        together(pair);

        assertThat(amountNow(1) + amountNow(2)).as("as if one after the other").isEqualTo(1);
        assertThat(runs).hasValueGreaterThanOrEqualTo(3);
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aDeadlockIsAConflict() throws Exception {
        Transactions transactions = Transactions.on(dataSource, quick);
        CyclicBarrier bothHaveOne = new CyclicBarrier(2);
        List<Callable<Void>> pair = new ArrayList<>();
        for (int mine = 1; mine <= 2; mine++) {
            int first = mine;
            pair.add(() -> {
                AtomicInteger own = new AtomicInteger();
                transactions.execute("swap", tx -> {
                    set(tx, first, amount(tx, first) + 1);
                    if (own.incrementAndGet() == 1) {
                        meet(bothHaveOne);
                    }
                    set(tx, 3 - first, amount(tx, 3 - first) + 1);
                });
                return null;
            });
        }

        together(pair);

        assertThat(amountNow(1)).isEqualTo(2);
        assertThat(amountNow(2)).isEqualTo(2);
        assertThat(transactions.metrics().conflicts()).isPositive();
    }

    @Test
    void workThatSwallowsAConflictIsRunAgainAllTheSame() throws SQLException {
        Transactions transactions = Transactions.on(dataSource, quick);
        AtomicInteger runs = new AtomicInteger();

        transactions.execute("swallow", tx -> {
            long read = amount(tx, 1);
            if (runs.incrementAndGet() == 1) {
                RealPostgres.execute("update accounts set amount = 10 where id = 1");
            }
            try {
                set(tx, 1, read + 1);
            } catch (SQLException e) {
                // As a framework may do that only logs it.
                assertThat(DsqlErrors.classify(e)).isEqualTo(ErrorKind.CONFLICT);
            }
        });

        assertThat(runs).hasValue(2);
        assertThat(amountNow(1)).isEqualTo(11);
    }

    @Test
    void anErrorThatTheWorkSwallowsComesUpBeforeTheCommit() {
        Transactions transactions = Transactions.on(dataSource, quick);

        assertThatThrownBy(() -> transactions.execute("swallow", tx -> {
                    set(tx, 1, 99);
                    try (Statement statement = tx.createStatement()) {
                        statement.execute("insert into accounts values (2, 0)");
                    } catch (SQLException e) {
                        // As code does that counts on the row being there already.
                        assertThat(e.getSQLState()).isEqualTo("23505");
                    }
                }))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("current transaction is aborted")
                .hasRootCauseInstanceOf(SQLException.class);
    }

    @Test
    void whatFailsForGoodLeavesNothingBehind() throws SQLException {
        Transactions transactions = Transactions.on(dataSource, quick);

        assertThatThrownBy(() -> transactions.execute("half", tx -> {
                    set(tx, 1, 99);
                    try (Statement statement = tx.createStatement()) {
                        statement.execute("insert into accounts values (2, 0)");
                    }
                }))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23505"));
        assertThat(amountNow(1)).isZero();
    }

    @Test
    void oneThatOnlyReadsCannotWrite() throws SQLException {
        Transactions transactions = Transactions.on(dataSource, quick);

        long read = transactions.read("look", tx -> amount(tx, 1));
        assertThat(read).isZero();
        assertThatThrownBy(() -> transactions.read("look", tx -> {
                    set(tx, 1, 1);
                    return null;
                }))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25006"));
    }

    @Test
    void aBackendThatDiesBeforeTheCommitIsReplaced() throws SQLException {
        Transactions transactions = Transactions.on(
                dataSource, Retries.builder().base(Duration.ofMillis(1)).build());
        AtomicInteger runs = new AtomicInteger();

        transactions.execute("cut", tx -> {
            if (runs.incrementAndGet() == 1) {
                try (Statement statement = tx.createStatement()) {
                    statement.execute("select pg_terminate_backend(pg_backend_pid())");
                }
            }
            set(tx, 1, 5);
        });

        assertThat(runs).hasValue(2);
        assertThat(amountNow(1)).isEqualTo(5);
    }

    @Test
    void aBackendThatDiesAtTheCommitLeavesItOpenWhetherItWasDone() throws SQLException {
        // The deferred trigger runs at the commit and ends the backend there.
        RealPostgres.execute("""
                create or replace function die() returns trigger language plpgsql as
                $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$""", """
                create constraint trigger die_at_commit after update on accounts
                deferrable initially deferred for each row execute function die()""");
        Transactions transactions = Transactions.on(dataSource, quick);
        AtomicInteger runs = new AtomicInteger();

        assertThatThrownBy(() -> transactions.execute("cut", tx -> {
                    runs.incrementAndGet();
                    set(tx, 1, 5);
                }))
                .isInstanceOf(IndeterminateCommitException.class);
        assertThat(runs).hasValue(1);
    }
}
