package dev.reservoir.dsql.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.dsql.error.ConditionFailedException;
import dev.reservoir.dsql.error.DsqlErrors;
import dev.reservoir.dsql.error.ErrorKind;
import dev.reservoir.dsql.error.Limit;
import dev.reservoir.emulator.DsqlEmulator;
import dev.reservoir.emulator.Limits;
import dev.reservoir.jdbc.ReservoirDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers as Aurora DSQL gives them, on connections of a reservoir. */
class TransactionsOnEmulatorTest {
    private static DsqlEmulator dsql;

    private final ReservoirDataSource dataSource = ReservoirDataSource.builder()
            .url(dsql.jdbcUrl())
            .username("admin")
            .password("no token is asked for")
            .maxOpen(4)
            .build();
    private final Transactions transactions = Transactions.on(
            dataSource,
            Retries.builder()
                    .retries(20)
                    .base(Duration.ofMillis(1))
                    .cap(Duration.ofMillis(20))
                    .build());

    @BeforeAll
    static void start() {
        dsql = DsqlEmulator.builder().start();
    }

    @AfterAll
    static void stop() {
        dsql.close();
    }

    @BeforeEach
    void createTable() throws SQLException {
        for (String sql : List.of(
                "create table if not exists items (id int primary key, amount bigint not null)",
                "delete from items",
                "insert into items values (1, 0), (2, 0)")) {
            transactions.execute("prepare", tx -> run(tx, sql));
        }
    }

    @AfterEach
    void clear() {
        dsql.faults().clear();
        dsql.limits(Limits.dsql());
        dataSource.close();
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long amount(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select amount from items where id = 1")) {
            row.next();
            return row.getLong(1);
        }
    }

    private long amountNow() throws SQLException {
        return transactions.read("look", TransactionsOnEmulatorTest::amount);
    }

    /** A whole transaction on another thread, while one is open on this. */
    private void elsewhere(String name, Transactions.Task task) {
        CompletableFuture.runAsync(() -> {
                    try {
                        transactions.execute(name, task);
                    } catch (SQLException e) {
                        throw new CompletionException(e);
                    }
                })
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    @Test
    void aConflictIsRunAgain() throws SQLException {
        AtomicInteger runs = new AtomicInteger();
        transactions.execute("add", tx -> {
            long read = amount(tx);
            if (runs.incrementAndGet() <= 2) {
                try (Connection other = dataSource.getConnection()) {
                    run(other, "update items set amount = amount + 10 where id = 1");
                }
            }
            run(tx, "update items set amount = " + (read + 1) + " where id = 1");
        });

        assertThat(runs).hasValue(3);
        assertThat(amountNow()).isEqualTo(21);
        assertThat(transactions.metrics().asMetrics())
                .containsEntry("dsql_tx_error_class_total{operation=\"add\",error_class=\"conflict\"}", 2.0);
        assertThat(dataSource.stats().discards())
                .as("no connection was thrown away")
                .isEmpty();
    }

    @Test
    void theConflictComesAtTheCommitAfterAllOfTheWork() throws SQLException {
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger finished = new AtomicInteger();
        transactions.execute("add", tx -> {
            long read = amount(tx);
            if (runs.incrementAndGet() <= 2) {
                try (Connection other = dataSource.getConnection()) {
                    run(other, "update items set amount = amount + 10 where id = 1");
                }
            }
            run(tx, "update items set amount = " + (read + 1) + " where id = 1");
            assertThat(amount(tx)).as("its own change").isEqualTo(read + 1);
            run(tx, "update items set amount = amount + 1 where id = 2");
            finished.incrementAndGet();
        });

        assertThat(runs).hasValue(3);
        assertThat(finished).as("runs that no statement has ended").hasValue(3);
        assertThat(amountNow()).isEqualTo(21);
        assertThat(transactions.metrics().asMetrics())
                .containsEntry("dsql_tx_error_class_total{operation=\"add\",error_class=\"conflict\"}", 2.0)
                .containsEntry("dsql_tx_total{operation=\"add\",outcome=\"committed\"}", 1.0);
    }

    @Test
    void ofTwoOpenTransactionsTheFirstToCommitWinsAndTheOtherIsRunAgain() throws SQLException {
        AtomicInteger outerRuns = new AtomicInteger();
        AtomicInteger innerRuns = new AtomicInteger();
        transactions.execute("outer", outer -> {
            run(outer, "update items set amount = amount + 1 where id = 1");
            if (outerRuns.incrementAndGet() == 1) {
                // Writes the same row while the outer one is open, and does not wait for it.
                elsewhere("inner", inner -> {
                    innerRuns.incrementAndGet();
                    run(inner, "update items set amount = amount + 10 where id = 1");
                });
            }
        });

        assertThat(innerRuns).as("the first to commit").hasValue(1);
        assertThat(outerRuns).as("the second").hasValue(2);
        assertThat(amountNow()).isEqualTo(11);
    }

    @Test
    void aFencingTokenThatIsTakenMeanwhileFailsTheCommitOfItsFormerOwner() throws SQLException {
        Fenced items = Fenced.table("items").key("id").token("amount");
        AtomicInteger runs = new AtomicInteger();

        assertThatThrownBy(() -> transactions.execute("write", tx -> {
                    items.lock(tx, List.of(1), 0);
                    if (runs.incrementAndGet() == 1) {
                        elsewhere("take", other -> items.autoUpdate(other, List.of(1), Map.of()));
                    }
                    run(tx, "update items set amount = 99 where id = 2");
                }))
                .as("run again, it sees that it is the owner no more")
                .isInstanceOf(ConditionFailedException.class);

        assertThat(runs).hasValue(1);
        assertThat(amountNow()).isEqualTo(1);
        assertThat(transactions.<Long>read("look", tx -> {
                    try (Statement statement = tx.createStatement();
                            ResultSet row = statement.executeQuery("select amount from items where id = 2")) {
                        row.next();
                        return row.getLong(1);
                    }
                }))
                .as("nothing of the former owner's")
                .isZero();
    }

    @Test
    void exhaustedRetriesEndWithTheServersWords() {
        assertThatThrownBy(() -> Transactions.on(
                                dataSource,
                                Retries.builder()
                                        .retries(1)
                                        .base(Duration.ofMillis(1))
                                        .build())
                        .execute("add", tx -> {
                            long read = amount(tx);
                            try (Connection other = dataSource.getConnection()) {
                                run(other, "update items set amount = amount + 10 where id = 1");
                            }
                            run(tx, "update items set amount = " + (read + 1) + " where id = 1");
                        }))
                .isInstanceOf(RetriesExhaustedException.class)
                .hasMessageStartingWith("add: gave up after 2 attempts")
                .hasMessageContaining("Last error: conflict 40001")
                .hasMessageContaining("(OC000)");
    }

    @Test
    void anUnavailableServerIsTriedAgainOnTheSameConnections() throws SQLException {
        AtomicInteger runs = new AtomicInteger();
        Transactions patient = Transactions.on(
                dataSource,
                Retries.builder()
                        .base(Duration.ofMillis(1))
                        .sleeper(nanos -> dsql.faults().unavailable(false))
                        .build());
        dsql.faults().unavailable(true);

        patient.execute("add", tx -> {
            runs.incrementAndGet();
            run(tx, "update items set amount = 5 where id = 1");
        });

        assertThat(runs).hasValue(2);
        assertThat(amountNow()).isEqualTo(5);
        assertThat(dataSource.stats().discards()).isEmpty();
        assertThat(patient.metrics().asMetrics())
                .containsEntry("dsql_tx_error_class_total{operation=\"add\",error_class=\"unavailable\"}", 1.0);
    }

    @Test
    void aCommitOfUnknownEndIsNotDoneTwice() throws SQLException {
        AtomicInteger runs = new AtomicInteger();
        dsql.faults().unavailableAfterCommit(true);

        assertThatThrownBy(() -> transactions.execute("add", tx -> {
                    runs.incrementAndGet();
                    run(tx, "update items set amount = amount + 1 where id = 1");
                }))
                .isInstanceOf(IndeterminateCommitException.class)
                .hasMessageContaining("server unavailable");

        dsql.faults().clear();
        assertThat(runs).hasValue(1);
        assertThat(amountNow()).as("it was committed").isEqualTo(1);
    }

    @Test
    void oneThatDoesNoHarmTwiceIs() throws SQLException {
        AtomicInteger runs = new AtomicInteger();
        Transactions patient = Transactions.on(
                        dataSource,
                        Retries.builder()
                                .base(Duration.ofMillis(1))
                                .sleeper(nanos -> dsql.faults().clear())
                                .build())
                .idempotent();
        dsql.faults().unavailableAfterCommit(true);

        patient.execute("set", tx -> {
            runs.incrementAndGet();
            run(tx, "update items set amount = 7 where id = 1");
        });

        assertThat(runs).hasValue(2);
        assertThat(amountNow()).isEqualTo(7);
    }

    @Test
    void aConnectionThatIsDroppedIsReplaced() throws SQLException {
        AtomicInteger runs = new AtomicInteger();
        Transactions tireless = Transactions.on(
                dataSource, Retries.builder().base(Duration.ofMillis(10)).build());

        tireless.execute("add", tx -> {
            if (runs.incrementAndGet() == 1) {
                assertThat(dsql.faults().dropShare(1)).isPositive();
            }
            run(tx, "update items set amount = 3 where id = 1");
        });

        assertThat(amountNow()).isEqualTo(3);
        assertThat(runs).hasValueGreaterThanOrEqualTo(2);
    }

    @Test
    void limitsAreNamedAndNotTriedAgain() {
        dsql.limits(Limits.dsql().withTransactionRows(10));
        AtomicInteger runs = new AtomicInteger();

        assertThatThrownBy(() -> transactions.execute("fill", tx -> {
                    runs.incrementAndGet();
                    run(tx, "insert into items select n, 0 from generate_series(100, 150) n");
                }))
                .isInstanceOfSatisfying(SQLException.class, e -> {
                    assertThat(DsqlErrors.classify(e)).isEqualTo(ErrorKind.LIMIT);
                    assertThat(DsqlErrors.limit(e)).isEqualTo(Limit.ROWS);
                });
        assertThat(runs).hasValue(1);
    }

    @Test
    void whatIsNotSupportedIsSaidToBe() {
        assertThatThrownBy(() -> transactions.execute("empty", tx -> run(tx, "truncate items")))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        e -> assertThat(DsqlErrors.classify(e)).isEqualTo(ErrorKind.UNSUPPORTED));
    }

    @Test
    void fencedUpdatesAndLocksPass() throws SQLException {
        Fenced items = Fenced.table("items").key("id").token("amount");
        assertThat(transactions.<Long>run("take", tx -> items.autoUpdate(tx, List.of(1), Map.of())))
                .isEqualTo(1);
        transactions.execute("hold", tx -> items.lock(tx, List.of(1), 1));
        assertThatThrownBy(() -> transactions.execute("hold", tx -> items.lock(tx, List.of(1), 0)))
                .isInstanceOf(ConditionFailedException.class);
    }
}
