package dev.reservoir.dsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reservoir.dsql.tx.Retries;
import dev.reservoir.dsql.tx.Transactions;
import dev.reservoir.testkit.RealPostgres;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.PGStatement;

/** Work that controls its transaction by statements is refused on a real database, and is not run again. */
class ControlInWorkTest {
    private final DataSource dataSource = RealPostgres.repeatableRead();
    private final Transactions transactions = Transactions.on(
            dataSource, Retries.builder().base(Duration.ofMillis(1)).build());
    private final AtomicInteger runs = new AtomicInteger();

    @BeforeEach
    void createTable() {
        RealPostgres.execute("drop table if exists control", "create table control (id int primary key)");
    }

    @FunctionalInterface
    interface Sender {
        void send(Connection tx) throws SQLException;
    }

    private static void onStatement(Connection tx, Call call) throws SQLException {
        try (Statement statement = tx.createStatement()) {
            call.run(statement);
        }
    }

    @FunctionalInterface
    interface Call {
        void run(Statement statement) throws SQLException;
    }

    static Stream<Map.Entry<String, Sender>> ways() {
        return Map.<String, Sender>of(
                "execute", tx -> onStatement(tx, s -> s.execute("COMMIT")),
                "execute with keys", tx -> onStatement(tx, s -> s.execute("commit", Statement.RETURN_GENERATED_KEYS)),
                "executeUpdate", tx -> onStatement(tx, s -> s.executeUpdate("/* now */ commit")),
                "executeLargeUpdate", tx -> onStatement(tx, s -> s.executeLargeUpdate("commit and chain")),
                "executeQuery", tx -> onStatement(tx, s -> s.executeQuery("select 1; commit; select 2")),
                "addBatch",
                        tx -> onStatement(tx, s -> {
                            s.addBatch("insert into control values (2)");
                            s.addBatch("commit");
                            s.executeBatch();
                        }),
                "prepareStatement",
                        tx -> {
                            try (PreparedStatement statement = tx.prepareStatement("-- last\ncommit")) {
                                statement.execute();
                            }
                        },
                "prepareCall", tx -> tx.prepareCall("commit").close(),
                "a statement's connection",
                        tx -> onStatement(
                                tx, s -> s.getConnection().createStatement().execute("commit")))
                .entrySet()
                .stream();
    }

    private void work(Connection tx, Sender sender) throws SQLException {
        runs.incrementAndGet();
        onStatement(tx, statement -> statement.executeUpdate("insert into control values (1)"));
        sender.send(tx);
    }

    private void assertNothingCommitted() {
        assertThat(runs).hasValue(1);
        assertThat(RealPostgres.number("select count(*) from control")).isZero();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aCommitIsRefusedBeforeItIsSent(Map.Entry<String, Sender> way) {
        SQLException error = catchThrowableOfType(
                SQLException.class, () -> transactions.execute("control", tx -> work(tx, way.getValue())));

        assertThat((Throwable) error)
                .hasMessage("control: the statement COMMIT is not allowed inside a transaction that may be run again;"
                        + " return to commit, throw to roll back");
        assertThat(error.getSQLState()).isEqualTo("25000");
        assertNothingCommitted();
    }

    @Test
    void workThatCatchesTheRefusalIsNotCommitted() {
        assertThatThrownBy(() -> transactions.execute("control", tx -> work(tx, ControlInWorkTest::tryToCommit)))
                .hasMessageContaining("the statement COMMIT is not allowed");
        assertNothingCommitted();
    }

    private static void tryToCommit(Connection tx) {
        try {
            onStatement(tx, statement -> statement.execute("commit"));
        } catch (SQLException e) {
            // Goes on, as some do.
        }
    }

    @Test
    void aConflictAfterARefusalDoesNotRunItAgain() {
        assertThatThrownBy(() -> transactions.execute(
                        "control",
                        tx -> work(tx, connection -> {
                            tryToCommit(connection);
                            throw new SQLException("conflict", "40001");
                        })))
                .hasMessageContaining("the statement COMMIT is not allowed")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertNothingCommitted();
    }

    @Test
    void whatTheWorkMakesOfTheRefusalComesThrough() {
        assertThatThrownBy(() -> transactions.execute(
                        "control",
                        tx -> work(tx, connection -> {
                            try {
                                onStatement(connection, statement -> statement.execute("commit"));
                            } catch (SQLException e) {
                                throw new IllegalStateException("no order today", e);
                            }
                        })))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no order today");
        assertNothingCommitted();
    }

    @Test
    void otherStatementsWork() throws SQLException {
        transactions.execute("control", tx -> {
            try (Statement statement = tx.createStatement()) {
                statement.execute("insert into control values (1); insert into control values (2)");
                statement.addBatch("insert into control select case when true then 3 end");
                statement.executeBatch();
                assertThat(statement.getConnection()).isSameAs(tx);
                assertThat(statement.isWrapperFor(PGStatement.class)).isTrue();
            }
        });
        assertThat(RealPostgres.number("select count(*) from control")).isEqualTo(3);
    }

    @Test
    void theIsolationThatHoldsMayBeSetAndNoOther() throws SQLException {
        transactions.execute("control", tx -> tx.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ));
        assertThatThrownBy(() -> transactions.execute(
                        "control", tx -> tx.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE)))
                .hasMessageContaining("setTransactionIsolation() is not allowed");
    }
}
