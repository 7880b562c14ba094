package dev.reservoir.jdbc.wrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.Recorder;
import dev.reservoir.jdbc.TestConnectionOwner;
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

/** The wrapper of one checkout. */
class WrappedConnectionTest {
    private final TestConnectionOwner owner = new TestConnectionOwner();
    private final Recorder recorder = new Recorder();
    private final Connection raw = recorder.idle(Connection.class);

    @Test
    void closingTwiceGivesBackOnce() throws SQLException {
        WrappedConnection inUse = owner.acquire(raw);

        inUse.close();
        inUse.close();

        assertThat(owner.returns).containsExactly(true);
        assertThat(inUse.isClosed()).isTrue();
    }

    @Test
    void closingFromManyThreadsGivesBackOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 500; round++) {
                WrappedConnection inUse = owner.acquire(raw);
                CountDownLatch done = new CountDownLatch(4);
                for (int i = 0; i < 4; i++) {
                    threads.execute(() -> {
                        inUse.close();
                        done.countDown();
                    });
                }
                assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
                assertThat(owner.returns).hasSize(round + 1);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aCheckoutThatDidNothingNeverCallsTheDriver() throws SQLException {
        PhysicalConnection physical = new PhysicalConnection(raw);
        recorder.clear();

        owner.acquire(physical).close();

        assertThat(recorder.names()).isEmpty();
    }

    @Test
    void aStatementCostsTheDriverNothingMoreThanItselfAndItsWarnings() throws SQLException {
        PhysicalConnection physical = new PhysicalConnection(raw);
        recorder.clear();

        try (Connection inUse = owner.acquire(physical);
                Statement statement = inUse.createStatement()) {
            statement.execute("select 1");
        }

        assertThat(recorder.names()).containsExactly("createStatement", "execute", "close", "clearWarnings");
    }

    @Test
    void anOldHandleDoesNotReachTheNextCheckout() throws SQLException {
        PhysicalConnection physical = new PhysicalConnection(raw);
        WrappedConnection first = owner.acquire(physical);
        Statement old = first.createStatement();
        first.close();
        WrappedConnection second = owner.acquire(physical);
        Statement statement = second.createStatement();

        old.close();
        first.close();
        first.abort(Runnable::run);

        assertThat(second.isValid(1)).isTrue();
        assertThat(statement.execute("select 1")).isTrue();
        assertThat(owner.returns).containsExactly(true);
        assertThatThrownBy(() -> old.execute("select 1")).isInstanceOf(SQLException.class);
        assertThatThrownBy(first::createStatement)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("its caller released it");
    }

    @Test
    void twoHandlesOfOneConnectionAreNotEqual() throws SQLException {
        PhysicalConnection physical = new PhysicalConnection(raw);
        WrappedConnection one = owner.acquire(physical);
        WrappedConnection other = owner.acquire(physical);

        assertThat(one).isNotEqualTo(other);
        assertThat(List.of(one)).contains(one).doesNotContain(other);
    }

    @Test
    void itsNameTellsTheDriversClassAndNoSecret() throws SQLException {
        WrappedConnection inUse = owner.acquire(raw);

        assertThat(inUse.toString())
                .contains(raw.getClass().getName())
                .doesNotContain("closed")
                .doesNotContain("secret");
        assertThat(inUse.createStatement().toString())
                .startsWith("WrappedStatement[")
                .doesNotContain("secret");
        assertThat(inUse.prepareStatement("x").toString())
                .startsWith("WrappedPreparedStatement[")
                .doesNotContain("secret");
        assertThat(inUse.prepareStatement("x").executeQuery().toString())
                .startsWith("WrappedResultSet[")
                .doesNotContain("secret");
        assertThat(inUse.getMetaData().toString())
                .startsWith("WrappedDatabaseMetaData[")
                .doesNotContain("secret");
        inUse.close();
        assertThat(inUse.toString()).contains("closed");
    }

    @Test
    void itIsValidInItsGuardWindowAsLongAsItWorks() throws SQLException {
        WrappedConnection inUse = owner.acquire(raw);
        owner.guardWindow = true;

        assertThat(inUse.isValid(1)).isTrue();
        assertThat(recorder.names()).endsWith("isValid");

        recorder.answers.put("isValid", false);
        assertThat(inUse.isValid(1)).isFalse();
    }

    @Test
    void underAPoolItIsNotValidInItsGuardWindow() throws SQLException {
        WrappedConnection inUse = owner.acquireForPool(new PhysicalConnection(raw));
        assertThat(inUse.isValid(1)).isTrue();

        owner.guardWindow = true;

        assertThat(inUse.isValid(1)).isFalse();
        assertThat(owner.brokenBy).isEmpty();
        inUse.close();
        assertThat(owner.returns).containsExactly(true);
    }

    @Test
    void itsReservoirLearnsWhetherItWasUsed() throws SQLException {
        owner.acquire(raw).close();
        WrappedConnection unusedStatement = owner.acquire(raw);
        unusedStatement.createStatement();
        unusedStatement.close();
        WrappedConnection used = owner.acquire(raw);
        used.createStatement().execute("select 1");
        used.close();
        WrappedConnection aborted = owner.acquire(raw);
        aborted.createStatement().execute("select 1");
        aborted.abort(Runnable::run);

        assertThat(owner.uses).containsExactly(false, false, true, true);
    }

    @Test
    void aConnectionThatIsNotValidIsNotHandedOutAgain() throws SQLException {
        recorder.answers.put("isValid", false);
        WrappedConnection inUse = owner.acquire(raw);

        assertThat(inUse.isValid(1)).isFalse();
        inUse.close();

        assertThat(owner.brokenBy).hasSize(1);
        assertThat(owner.returns).containsExactly(false);
        assertThat(inUse.isValid(1)).isFalse();
        assertThatThrownBy(() -> inUse.isValid(-1)).isInstanceOf(SQLException.class);
    }

    @Test
    void aConnectionThatTheDriverClosedIsNotHandedOutAgain() throws SQLException {
        recorder.answers.put("isClosed", true);
        WrappedConnection inUse = owner.acquire(raw);

        assertThat(inUse.isClosed()).isTrue();
        inUse.close();

        assertThat(owner.brokenBy).hasSize(1);
        assertThat(owner.returns).containsExactly(false);
    }

    @Test
    void abortEndsTheCheckoutAndTheConnection() throws SQLException {
        WrappedConnection inUse = owner.acquire(raw);
        Statement statement = inUse.createStatement();
        recorder.clear();

        inUse.abort(Runnable::run);
        inUse.abort(Runnable::run);
        inUse.close();

        assertThat(recorder.names()).containsExactly("abort");
        assertThat(owner.returns).containsExactly(false);
        assertThat(owner.brokenBy).isEmpty();
        assertThat(statement.isClosed()).isTrue();
        assertThatThrownBy(() -> owner.acquire(raw).abort(null)).isInstanceOf(SQLException.class);
    }

    @Test
    void aBrokenConnectionIsGivenBackWithoutAWordToTheDriver() throws SQLException {
        WrappedConnection inUse = owner.acquire(raw);
        inUse.setAutoCommit(false);
        List<Statement> statements = List.of(inUse.createStatement(), inUse.createStatement(), inUse.createStatement());
        recorder.failure = new SQLException("gone", "08006");
        assertThatThrownBy(() -> statements.get(0).execute("x")).isSameAs(recorder.failure);
        recorder.clear();

        inUse.close();

        assertThat(recorder.names()).isEmpty();
        assertThat(owner.returns).containsExactly(false);
        assertThat((Throwable) inUse.physical.whyBad()).isSameAs(recorder.failure);
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
        WrappedConnection inUse = owner.acquire(raw);
        inUse.setAutoCommit(false);
        inUse.createStatement().execute("x");
        SQLException gone = new SQLException("gone", "08006");
        recorder.failure = gone;

        inUse.close();

        assertThat(owner.brokenBy).containsExactly(gone);
        assertThat(owner.returns).containsExactly(false);
    }

    @Test
    void theRuleCanBeReplacedAndMayFail() throws SQLException {
        owner.rule = e -> e.getMessage().equals("odd");
        WrappedConnection odd = owner.acquire(raw);
        recorder.failure = new SQLException("odd");
        assertThatThrownBy(odd::createStatement).isSameAs(recorder.failure);
        assertThat(owner.brokenBy).hasSize(1);

        recorder.failure = null;
        owner.rule = e -> {
            throw new IllegalStateException("bug in the rule");
        };
        WrappedConnection other = owner.acquire(raw);
        recorder.failure = new SQLException("gone", "08006");
        assertThatThrownBy(other::createStatement).isSameAs(recorder.failure);
        assertThat(owner.brokenBy).hasSize(2);
    }

    @Test
    void itUnwrapsItselfAndTheDriver() throws SQLException {
        WrappedConnection inUse = owner.acquire(raw);

        assertThat(inUse.unwrap(Connection.class)).isSameAs(inUse);
        assertThat(inUse.unwrap(WrappedConnection.class)).isSameAs(inUse);
        assertThat(inUse.isWrapperFor(Connection.class)).isTrue();
        assertThat(inUse.isWrapperFor(raw.getClass())).isTrue();
        assertThat((Object) inUse.unwrap(raw.getClass())).isSameAs(raw);
    }

    @Test
    void aHandleIsSmall() {
        assertThat(bytesOf(WrappedConnection.class)).isLessThanOrEqualTo(32);
        assertThat(bytesOf(WrappedStatement.class)).isLessThanOrEqualTo(32);
        assertThat(bytesOf(WrappedPreparedStatement.class)).isLessThanOrEqualTo(32);
        assertThat(bytesOf(WrappedResultSet.class)).isLessThanOrEqualTo(24);
    }

    /** Assumes compressed class pointers, the default of the JVM. */
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
    void aStatementOpenedWhileTheCheckoutEndsIsClosedAndRefused() throws SQLException {
        PhysicalConnection physical = new PhysicalConnection(raw);
        WrappedConnection inUse = owner.acquire(physical);
        inUse.close();

        assertThatThrownBy(() -> inUse.wrap(recorder.idle(Statement.class))).isInstanceOf(SQLException.class);

        assertThat(recorder.names()).endsWith("close");
        assertThat(physical.isUntouched()).isTrue();
    }
}
