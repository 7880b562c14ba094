package dev.reservoir.dsql.tx;

import static dev.reservoir.dsql.VirtualRetries.conflict;
import static dev.reservoir.dsql.VirtualRetries.lost;
import static dev.reservoir.dsql.VirtualRetries.unavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.dsql.ScriptedDatabase;
import dev.reservoir.dsql.VirtualRetries;
import dev.reservoir.dsql.error.ConditionFailedException;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Faults that a real database does not have on demand, on virtual time. */
class TransactionsTest {
    private final VirtualRetries virtual = new VirtualRetries();
    private final ScriptedDatabase database = new ScriptedDatabase();
    private final DataSource dataSource = database.dataSource();
    private final Transactions transactions =
            Transactions.on(dataSource, virtual.builder().build());
    private final AtomicInteger runs = new AtomicInteger();

    private int work(Connection tx) throws SQLException {
        tx.clearWarnings();
        return runs.incrementAndGet();
    }

    @Test
    void aTransactionBeginsWorksCommitsAndGivesTheConnectionBackAsItWas() throws SQLException {
        assertThat(transactions.run("op", this::work)).isEqualTo(1);

        assertThat(database.calls)
                .containsExactly(
                        "open", "setAutoCommit(false)", "clearWarnings", "commit", "setAutoCommit(true)", "close");
    }

    @Test
    void oneThatOnlyReadsIsReadOnlyMeanwhile() throws SQLException {
        assertThat(transactions.read("op", this::work)).isEqualTo(1);

        assertThat(database.calls)
                .containsExactly(
                        "open",
                        "setReadOnly(true)",
                        "setAutoCommit(false)",
                        "clearWarnings",
                        "commit",
                        "setAutoCommit(true)",
                        "setReadOnly(false)",
                        "close");
    }

    @Test
    void connectionsWithoutAutoCommitStaySo() throws SQLException {
        database.autoCommit = false;
        transactions.execute("op", this::work);

        assertThat(database.calls).containsExactly("open", "setAutoCommit(false)", "clearWarnings", "commit", "close");
    }

    @Test
    void aConflictAtTheCommitRunsAllOfItAgain() throws SQLException {
        database.failing("commit", conflict()).failing("commit", conflict());

        assertThat(transactions.run("op", this::work)).isEqualTo(3);

        assertThat(virtual.slept).hasSize(2);
        assertThat(database.open).isZero();
        assertThat(database.autoCommit).isTrue();
    }

    @Test
    void noConnectionIsHeldDuringAPause() throws SQLException {
        database.failing("clearWarnings", conflict()).failing("commit", conflict());
        virtual.whileSleeping = () -> assertThat(database.open).isZero();

        assertThat(transactions.run("op", this::work)).isEqualTo(2);
        assertThat(virtual.slept).hasSize(2);
    }

    @Test
    void anUnavailableServerBeforeTheCommitIsTriedAgainOnAConnectionThatStaysGood() throws SQLException {
        database.failing("open", unavailable())
                .failing("setAutoCommit", unavailable())
                .failing("clearWarnings", unavailable());

        assertThat(transactions.run("op", this::work)).isEqualTo(1);
        assertThat(database.calls).contains("rollback").doesNotContain("abort");
    }

    @Test
    void aCommitOfUnknownEndIsNotRunAgain() {
        for (Exception error : new Exception[] {
            unavailable(),
            lost(),
            new SQLException("the driver does not know"),
            new SQLException("the server does not know", "40003"),
            new SQLException("could not read from the log", "XX000"),
            new SQLException("data corrupted", "XX001"),
            new SQLException("input/output error", "58030"),
            new SQLException("canceling statement due to user request", "57014"),
            new IllegalStateException("nor here")
        }) {
            runs.set(0);
            database.failing("commit", error);

            assertThatThrownBy(() -> transactions.run("order.place", this::work))
                    .isInstanceOfSatisfying(IndeterminateCommitException.class, e -> {
                        assertThat(e.operation()).isEqualTo("order.place");
                        assertThat(e.getSQLState()).isEqualTo("08007");
                        assertThat((Throwable) e).hasCause(error);
                    })
                    .hasMessageStartingWith("order.place: it is unknown whether the transaction was committed");
            assertThat(runs).hasValue(1);
            assertThat(database.open).isZero();
        }
        assertThat(virtual.slept).isEmpty();
        assertThat(transactions.metrics().stats("order.place").indeterminate()).isEqualTo(9);
    }

    @Test
    void unlessItDoesNoHarmTwice() throws SQLException {
        database.failing("commit", unavailable()).failing("commit", lost());

        assertThat(transactions.idempotent().run("op", this::work)).isEqualTo(3);
    }

    @Test
    void whatIsKnownBesideTheLossIsSaid() {
        SQLException lost = lost();
        lost.addSuppressed(new SQLException("the connection was 1h0m0s old", "08006"));
        database.failing("commit", lost);

        assertThatThrownBy(() -> transactions.run("op", this::work))
                .isInstanceOf(IndeterminateCommitException.class)
                .hasMessageContaining("; the connection was 1h0m0s old). Before you run it again,");
    }

    @Test
    void orOnlyReads() throws SQLException {
        database.failing("commit", unavailable());

        assertThat(transactions.read("op", this::work)).isEqualTo(2);
    }

    @Test
    void whatTheServerRefusesAtTheCommitWasSurelyNotDone() {
        SQLException rows = new SQLException("transaction row limit exceeded", "54000");
        database.failing("commit", rows);

        assertThatThrownBy(() -> transactions.run("op", this::work)).isSameAs(rows);
        assertThat(runs).hasValue(1);
    }

    @Test
    void aTransactionWhoseConnectionWasLostIsRunAgainUnlessTheCallerWantsToKnow() throws SQLException {
        SQLException lost = lost();
        Transactions curious = Transactions.on(
                dataSource, virtual.builder().retriesLostConnections(false).build());
        database.failing("clearWarnings", lost).failing("rollback", new SQLException("closed", "08003"));
        assertThatThrownBy(() -> curious.run("op", this::work)).isSameAs(lost);
        assertThat(lost.getSuppressed()).hasSize(1);

        database.failing("clearWarnings", lost()).failing("rollback", new SQLException("closed", "08003"));
        assertThat(transactions.run("op", this::work)).isEqualTo(1);
        database.failing("clearWarnings", lost());
        assertThatThrownBy(() -> transactions.run("op", this::work))
                .as("its own connection could be rolled back: it was another that was lost")
                .hasMessageContaining("I/O error");
        database.failing("open", lost());
        assertThatThrownBy(() -> transactions.run("op", this::work))
                .as("none could be had, and the pool has waited already")
                .hasMessageContaining("I/O error");
    }

    @Test
    void whatCannotBeRolledBackIsNotCommittedByTurningAutoCommitOn() {
        database.failing("clearWarnings", new SQLException("no", "23505"))
                .failing("rollback", new SQLException("no rollback", "XX000"));

        assertThatThrownBy(() -> transactions.run("op", this::work)).hasMessage("no");
        assertThat(database.calls)
                .containsExactly("open", "setAutoCommit(false)", "clearWarnings", "rollback", "close");
    }

    @Test
    void aRuntimeExceptionRollsBackAndComesAsItIs() {
        IllegalArgumentException bug = new IllegalArgumentException("a bug");

        assertThatThrownBy(() -> transactions.execute("op", tx -> {
                    throw bug;
                }))
                .isSameAs(bug);
        assertThat(database.calls).contains("rollback").doesNotContain("commit");
        assertThat(database.open).isZero();
    }

    @Test
    void soDoesACheckedExceptionThatWasNotDeclared() {
        Exception undeclared = new IOException("not declared");

        assertThatThrownBy(
                        () -> transactions.execute("op", tx -> TransactionsTest.<SQLException>throwAsItIs(undeclared)))
                .isSameAs(undeclared);
        assertThat(database.calls)
                .containsExactly("open", "setAutoCommit(false)", "rollback", "setAutoCommit(true)", "close");
        assertThat(database.open).isZero();
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> void throwAsItIs(Exception error) throws E {
        throw (E) error;
    }

    @Test
    void aConflictBehindARuntimeExceptionIsAConflict() throws SQLException {
        transactions.execute("op", tx -> {
            if (runs.incrementAndGet() == 1) {
                throw new IllegalStateException("a mapper's own exception", conflict());
            }
        });
        assertThat(runs).hasValue(2);
    }

    @Test
    void aFailedConditionIsNeverTriedAgain() {
        assertThatThrownBy(() -> transactions.execute("op", tx -> {
                    runs.incrementAndGet();
                    throw new ConditionFailedException("shard 7", 41L);
                }))
                .isInstanceOfSatisfying(ConditionFailedException.class, e -> {
                    assertThat(e.entity()).isEqualTo("shard 7");
                    assertThat(e.expectedToken()).isEqualTo("41");
                });
        assertThat(runs).hasValue(1);
    }

    @Test
    void anErrorWhileGivingBackDoesNotUndoACommit() throws SQLException {
        database.failing("close", new SQLException("cannot close"));
        assertThat(transactions.run("op", this::work)).isEqualTo(1);
    }

    @Test
    void theWorkCannotEndTheTransaction() throws SQLException {
        transactions.execute("order.place", tx -> {
            assertThatThrownBy(tx::commit)
                    .hasMessage("order.place: commit() is not allowed inside a transaction that may be run again;"
                            + " return to commit, throw to roll back");
            assertThatThrownBy(tx::rollback).isInstanceOf(SQLException.class);
            assertThatThrownBy(tx::close).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> tx.setAutoCommit(true)).isInstanceOf(SQLException.class);
            tx.setAutoCommit(false);
            assertThatThrownBy(() -> tx.setReadOnly(true)).isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> tx.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE))
                    .isInstanceOf(SQLException.class);
            assertThat(tx).hasToString("transaction order.place on scripted").isEqualTo(tx);
            assertThat(tx.hashCode()).isEqualTo(tx.hashCode());
        });
        assertThat(database.calls)
                .containsExactly(
                        "open",
                        "setAutoCommit(false)",
                        "setAutoCommit(false)",
                        "commit",
                        "setAutoCommit(true)",
                        "close");
    }

    @Test
    void aConnectionIsOfNoUseAfterItsAttempt() throws SQLException {
        AtomicReference<Connection> kept = new AtomicReference<>();
        transactions.execute("op", kept::set);

        assertThat(kept.get().isClosed()).isTrue();
        assertThatThrownBy(() -> kept.get().clearWarnings())
                .hasMessage("op: clearWarnings() on the connection of a transaction that has ended");
    }

    @Test
    void aTransactionInsideAnotherOfTheSameDataSourceIsRefused() throws SQLException {
        Transactions other = Transactions.on(dataSource);
        assertThatThrownBy(() -> transactions.execute("outer", tx -> other.execute("inner", this::work)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("inner: started inside the transaction outer on the same data source");
        assertThat(runs).hasValue(0);

        transactions.execute(
                "outer",
                tx -> Transactions.on(new ScriptedDatabase().dataSource()).execute("inner", this::work));
        transactions.execute("after", this::work);
        assertThat(runs).as("another data source, and one after the other").hasValue(2);
    }

    @Test
    void aDeadlineCanBeGivenToOneCall() {
        database.failing("commit", conflict());

        assertThatThrownBy(() -> transactions.within(Duration.ofMillis(50)).run("op", this::work))
                .isInstanceOf(RetriesExhaustedException.class)
                .hasMessageContaining("deadline 50 ms");
    }

    @Test
    void anOperationHasAName() {
        assertThatThrownBy(() -> transactions.run(" ", this::work)).hasMessageStartingWith("operation is \" \"");
    }
}
