package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The handle of one loan. */
class LentConnectionTest {
    private final TestHome home = new TestHome();
    private final Recorder recorder = new Recorder();
    private final Connection raw = recorder.idle(Connection.class);

    @Test
    void closingTwiceGivesBackOnce() throws SQLException {
        LentConnection lent = home.lend(raw);

        lent.close();
        lent.close();

        assertThat(home.returns).containsExactly(true);
        assertThat(lent.isClosed()).isTrue();
    }

    @Test
    void closingFromManyThreadsGivesBackOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 500; round++) {
                LentConnection lent = home.lend(raw);
                CountDownLatch done = new CountDownLatch(4);
                for (int i = 0; i < 4; i++) {
                    threads.execute(() -> {
                        lent.close();
                        done.countDown();
                    });
                }
                assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
                assertThat(home.returns).hasSize(round + 1);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aLoanThatDidNothingNeverCallsTheDriver() throws SQLException {
        PhysicalConnection physical = new PhysicalConnection(raw);
        recorder.clear();

        home.lend(physical).close();

        assertThat(recorder.names()).isEmpty();
    }

    @Test
    void aStatementCostsTheDriverNothingMoreThanItselfAndItsWarnings() throws SQLException {
        PhysicalConnection physical = new PhysicalConnection(raw);
        recorder.clear();

        try (Connection lent = home.lend(physical);
                Statement statement = lent.createStatement()) {
            statement.execute("select 1");
        }

        assertThat(recorder.names()).containsExactly("createStatement", "execute", "close", "clearWarnings");
    }

    @Test
    void anOldHandleDoesNotReachTheNextLoan() throws SQLException {
        PhysicalConnection physical = new PhysicalConnection(raw);
        LentConnection first = home.lend(physical);
        Statement old = first.createStatement();
        first.close();
        LentConnection second = home.lend(physical);
        Statement statement = second.createStatement();

        old.close();
        first.close();
        first.abort(Runnable::run);

        assertThat(second.isValid(1)).isTrue();
        assertThat(statement.execute("select 1")).isTrue();
        assertThat(home.returns).containsExactly(true);
        assertThatThrownBy(() -> old.execute("select 1")).isInstanceOf(SQLException.class);
        assertThatThrownBy(first::createStatement)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("back in its reservoir");
    }

    @Test
    void twoHandlesOfOneConnectionAreNotEqual() throws SQLException {
        PhysicalConnection physical = new PhysicalConnection(raw);
        LentConnection one = home.lend(physical);
        LentConnection other = home.lend(physical);

        assertThat(one).isNotEqualTo(other);
        assertThat(List.of(one)).contains(one).doesNotContain(other);
    }

    @Test
    void itsNameTellsTheDriversClassAndNoSecret() throws SQLException {
        LentConnection lent = home.lend(raw);

        assertThat(lent.toString())
                .contains(raw.getClass().getName())
                .doesNotContain("closed")
                .doesNotContain("secret");
        assertThat(lent.createStatement().toString())
                .startsWith("LentStatement[")
                .doesNotContain("secret");
        assertThat(lent.prepareStatement("x").toString())
                .startsWith("LentPreparedStatement[")
                .doesNotContain("secret");
        assertThat(lent.prepareStatement("x").executeQuery().toString())
                .startsWith("LentResultSet[")
                .doesNotContain("secret");
        assertThat(lent.getMetaData().toString())
                .startsWith("LentDatabaseMetaData[")
                .doesNotContain("secret");
        lent.close();
        assertThat(lent.toString()).contains("closed");
    }

    @Test
    void itIsValidInItsGuardWindowAsLongAsItWorks() throws SQLException {
        LentConnection lent = home.lend(raw);
        home.guardWindow = true;

        assertThat(lent.isValid(1)).isTrue();
        assertThat(recorder.names()).endsWith("isValid");

        recorder.answers.put("isValid", false);
        assertThat(lent.isValid(1)).isFalse();
    }

    @Test
    void underAPoolItIsNotValidInItsGuardWindow() throws SQLException {
        LentConnection lent = home.lendToPool(new PhysicalConnection(raw));
        assertThat(lent.isValid(1)).isTrue();

        home.guardWindow = true;

        assertThat(lent.isValid(1)).isFalse();
        assertThat(home.brokenBy).isEmpty();
        lent.close();
        assertThat(home.returns).containsExactly(true);
    }

    @Test
    void itsReservoirLearnsWhetherItWasUsed() throws SQLException {
        home.lend(raw).close();
        LentConnection unusedStatement = home.lend(raw);
        unusedStatement.createStatement();
        unusedStatement.close();
        LentConnection used = home.lend(raw);
        used.createStatement().execute("select 1");
        used.close();
        LentConnection aborted = home.lend(raw);
        aborted.createStatement().execute("select 1");
        aborted.abort(Runnable::run);

        assertThat(home.uses).containsExactly(false, false, true, true);
    }

    @Test
    void aConnectionThatIsNotValidIsNotLentAgain() throws SQLException {
        recorder.answers.put("isValid", false);
        LentConnection lent = home.lend(raw);

        assertThat(lent.isValid(1)).isFalse();
        lent.close();

        assertThat(home.brokenBy).hasSize(1);
        assertThat(home.returns).containsExactly(false);
        assertThat(lent.isValid(1)).isFalse();
        assertThatThrownBy(() -> lent.isValid(-1)).isInstanceOf(SQLException.class);
    }

    @Test
    void aConnectionThatTheDriverClosedIsNotLentAgain() throws SQLException {
        recorder.answers.put("isClosed", true);
        LentConnection lent = home.lend(raw);

        assertThat(lent.isClosed()).isTrue();
        lent.close();

        assertThat(home.brokenBy).hasSize(1);
        assertThat(home.returns).containsExactly(false);
    }

    @Test
    void abortEndsTheLoanAndTheConnection() throws SQLException {
        LentConnection lent = home.lend(raw);
        Statement statement = lent.createStatement();
        recorder.clear();

        lent.abort(Runnable::run);
        lent.abort(Runnable::run);
        lent.close();

        assertThat(recorder.names()).containsExactly("abort");
        assertThat(home.returns).containsExactly(false);
        assertThat(home.brokenBy).isEmpty();
        assertThat(statement.isClosed()).isTrue();
        assertThatThrownBy(() -> home.lend(raw).abort(null)).isInstanceOf(SQLException.class);
    }

    @Test
    void aBrokenConnectionIsGivenBackWithoutAWordToTheDriver() throws SQLException {
        LentConnection lent = home.lend(raw);
        lent.setAutoCommit(false);
        List<Statement> statements = List.of(lent.createStatement(), lent.createStatement(), lent.createStatement());
        recorder.failure = new SQLException("gone", "08006");
        assertThatThrownBy(() -> statements.get(0).execute("x")).isSameAs(recorder.failure);
        recorder.clear();

        lent.close();

        assertThat(recorder.names()).isEmpty();
        assertThat(home.returns).containsExactly(false);
        assertThat((Throwable) lent.physical.whyBad()).isSameAs(recorder.failure);
        assertThat(statements).allMatch(s -> isClosed(s));
    }

    private static boolean isClosed(Statement statement) {
        try {
            return statement.isClosed();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aBrokenConnectionFoundDuringTheResetIsReported() throws SQLException {
        LentConnection lent = home.lend(raw);
        lent.setAutoCommit(false);
        lent.createStatement().execute("x");
        SQLException gone = new SQLException("gone", "08006");
        recorder.failure = gone;

        lent.close();

        assertThat(home.brokenBy).containsExactly(gone);
        assertThat(home.returns).containsExactly(false);
    }

    @Test
    void theRuleCanBeReplacedAndMayFail() throws SQLException {
        home.rule = e -> e.getMessage().equals("odd");
        LentConnection odd = home.lend(raw);
        recorder.failure = new SQLException("odd");
        assertThatThrownBy(odd::createStatement).isSameAs(recorder.failure);
        assertThat(home.brokenBy).hasSize(1);

        recorder.failure = null;
        home.rule = e -> {
            throw new IllegalStateException("bug in the rule");
        };
        LentConnection other = home.lend(raw);
        recorder.failure = new SQLException("gone", "08006");
        assertThatThrownBy(other::createStatement).isSameAs(recorder.failure);
        assertThat(home.brokenBy).hasSize(2);
    }

    @Test
    void itUnwrapsItselfAndTheDriver() throws SQLException {
        LentConnection lent = home.lend(raw);

        assertThat(lent.unwrap(Connection.class)).isSameAs(lent);
        assertThat(lent.unwrap(LentConnection.class)).isSameAs(lent);
        assertThat(lent.isWrapperFor(Connection.class)).isTrue();
        assertThat(lent.isWrapperFor(raw.getClass())).isTrue();
        assertThat((Object) lent.unwrap(raw.getClass())).isSameAs(raw);
    }

    @Test
    void aHandleIsSmall() {
        assertThat(bytesOf(LentConnection.class)).isLessThanOrEqualTo(32);
        assertThat(bytesOf(LentStatement.class)).isLessThanOrEqualTo(32);
        assertThat(bytesOf(LentPreparedStatement.class)).isLessThanOrEqualTo(32);
        assertThat(bytesOf(LentResultSet.class)).isLessThanOrEqualTo(24);
    }

    /** With compressed class pointers, as JVMs have them by default. */
    private static int bytesOf(Class<?> type) {
        int bytes = 12;
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    boolean isSmall = field.getType() == boolean.class || field.getType() == byte.class;
                    bytes += isSmall ? 1 : 4;
                }
            }
        }
        return (bytes + 7) / 8 * 8;
    }

    @Test
    void aStatementOpenedWhileTheLoanEndsIsClosedAndRefused() throws SQLException {
        PhysicalConnection physical = new PhysicalConnection(raw);
        LentConnection lent = home.lend(physical);
        lent.close();

        assertThatThrownBy(() -> lent.lend(recorder.idle(Statement.class))).isInstanceOf(SQLException.class);

        assertThat(recorder.names()).endsWith("close");
        assertThat(physical.isUntouched()).isTrue();
    }
}
