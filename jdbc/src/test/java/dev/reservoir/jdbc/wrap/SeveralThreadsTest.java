package dev.reservoir.jdbc.wrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.Recorder;
import dev.reservoir.jdbc.TestConnectionOwner;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A connection that several threads use ends for all of them. It is reused only if no thread can still be in a call of
 * the driver.
 */
class SeveralThreadsTest {
    private final TestConnectionOwner owner = new TestConnectionOwner();
    private final Recorder recorder = new Recorder();
    private final Connection raw = recorder.idle(Connection.class);
    private final ExecutorService other = Executors.newCachedThreadPool();
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @AfterEach
    void end() {
        goOn.countDown();
        other.shutdownNow();
    }

    private <T> Future<T> start(Callable<T> use) {
        return other.submit(use);
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    private <T> T onAnotherThread(Callable<T> use) throws Exception {
        return get(start(use));
    }

    /** Makes the driver wait in a method of this name. */
    private void block(String name) {
        recorder.whileCalled = method -> {
            if (method.getName().equals(name)) {
                inside.countDown();
                try {
                    assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
    }

    @Test
    void aStatementThatIsBeingMadeWhileAnotherThreadClosesIsOfNoUse() throws Exception {
        block("createStatement");
        WrappedConnection inUse = owner.acquire(raw);
        Future<Statement> made = start(inUse::createStatement);
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();

        inUse.close();
        assertThat(owner.returns).containsExactly(false);
        assertThat((Throwable) inUse.physical.whyBad())
                .hasMessageContaining("one thread may have closed the connection");
        goOn.countDown();

        assertThatThrownBy(() -> get(made))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("its caller released it");
        assertThat(recorder.names()).endsWith("createStatement", "close");
    }

    @Test
    void aConnectionThatIsClosedWhileAnotherThreadExecutesIsNotReused() throws Exception {
        block("execute");
        WrappedConnection inUse = owner.acquire(raw);
        Statement statement = inUse.createStatement();
        Future<Boolean> executes = start(() -> statement.execute("select 1"));
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();

        inUse.close();

        assertThat(owner.returns).containsExactly(false);
        goOn.countDown();
        get(executes);
        assertThatThrownBy(() -> statement.execute("select 1")).isInstanceOf(SQLException.class);
        assertThat(statement.isClosed()).isTrue();
        assertThat(recorder.names()).filteredOn("execute"::equals).hasSize(1);
    }

    @Test
    void aSharedConnectionThatIsClosedWhileAThreadExecutesIsNotReused() throws Exception {
        owner.severalThreads = true;
        aConnectionThatIsClosedWhileAnotherThreadExecutesIsNotReused();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatAnotherThreadOpenedIsClosedWithTheConnection(boolean expected) throws Exception {
        owner.severalThreads = expected;
        WrappedConnection inUse = owner.acquire(raw);
        Statement mine = inUse.createStatement();
        Statement others = onAnotherThread(inUse::createStatement);
        Statement closed = onAnotherThread(inUse::createStatement);
        closed.close();
        recorder.clear();

        inUse.close();

        assertThat(recorder.names()).filteredOn("close"::equals).hasSize(2);
        assertThat(mine.isClosed()).isTrue();
        assertThat(others.isClosed()).isTrue();
        assertThat(owner.returns).containsExactly(true);
        assertThat(inUse.physical.isUntouched()).isTrue();
    }

    @Test
    void aConnectionThatIsHandedOverBeforeItsFirstUseIsReused() throws Exception {
        WrappedConnection inUse = owner.acquire(raw);

        onAnotherThread(() -> {
            inUse.createStatement().execute("select 1");
            inUse.close();
            return null;
        });

        assertThat(owner.returns).containsExactly(true);
        assertThat(owner.severalThreads).isFalse();
    }

    @Test
    void onlyTheFirstConnectionThatIsHandedOverInTheMiddleIsDiscarded() throws Exception {
        for (int i = 0; i < 5; i++) {
            WrappedConnection inUse = owner.acquire(raw);
            inUse.setAutoCommit(false);
            inUse.createStatement().execute("select 1");
            recorder.clear();
            onAnotherThread(() -> {
                inUse.createStatement().execute("select 1");
                inUse.close();
                return null;
            });
        }

        assertThat(owner.returns).containsExactly(false, true, true, true, true);
        assertThat(recorder.names()).contains("rollback");
    }

    @Test
    void onlyTheFirstConnectionWhoseSettingsAnotherThreadChangesIsDiscarded() throws Exception {
        for (int i = 0; i < 3; i++) {
            WrappedConnection inUse = owner.acquire(raw);
            inUse.createStatement().execute("select 1");
            onAnotherThread(() -> {
                inUse.setReadOnly(false);
                return null;
            });
            inUse.close();
        }

        assertThat(owner.returns).containsExactly(false, true, true);
        assertThat(owner.brokenBy).isEmpty();
    }

    @Test
    void settingsThatTwoThreadsChangeAtOnceCostTheConnection() throws Exception {
        owner.severalThreads = true;
        block("setHoldability");
        WrappedConnection inUse = owner.acquire(raw);
        Future<?> changes = start(() -> {
            inUse.setHoldability(1);
            return null;
        });
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
        inUse.setReadOnly(true);
        goOn.countDown();
        get(changes);

        inUse.close();

        assertThat(owner.returns).containsExactly(false);
        assertThat((Throwable) inUse.physical.whyBad()).hasMessageContaining("settings");
    }

    @Test
    void aTransactionThatAnotherThreadBeganIsRolledBackAfterACommit() throws Exception {
        WrappedConnection inUse = owner.acquire(raw);
        recorder.answers.put("getAutoCommit", false);
        Statement statement = inUse.createStatement();
        onAnotherThread(() -> statement.execute("insert"));
        inUse.commit();
        recorder.clear();

        inUse.close();

        assertThat(recorder.names()).contains("rollback");
        assertThat(owner.returns).containsExactly(true);
    }

    @Test
    void aCancelFromAnotherThreadCostsNothing() throws Exception {
        block("execute");
        WrappedConnection inUse = owner.acquire(raw);
        Statement statement = inUse.createStatement();
        Future<?> cancels = start(() -> {
            inside.await();
            statement.cancel();
            goOn.countDown();
            return null;
        });
        statement.execute("select 1");
        get(cancels);

        inUse.close();

        assertThat(owner.returns).containsExactly(true);
        assertThat(owner.severalThreads).isFalse();
    }

    @Test
    void aCancelThatIsStillUnderWayCannotHitTheNextCaller() throws Exception {
        block("cancel");
        WrappedConnection inUse = owner.acquire(raw);
        Statement statement = inUse.createStatement();
        Future<?> cancels = start(() -> {
            statement.cancel();
            return null;
        });
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();

        inUse.close();

        assertThat(owner.returns).containsExactly(false);
        goOn.countDown();
        get(cancels);
    }

    @Test
    void aPoolOnTopMayUseAndCloseItsConnectionsOnAnyThread() throws Exception {
        WrappedConnection inUse = owner.acquireForPool(new PhysicalConnection(raw));
        inUse.createStatement().execute("select 1");
        onAnotherThread(() -> inUse.createStatement().execute("select 1"));
        onAnotherThread(() -> {
            inUse.setReadOnly(true);
            return null;
        });
        onAnotherThread(() -> {
            inUse.close();
            return null;
        });

        assertThat(owner.returns).containsExactly(true);
        assertThat(owner.severalThreads).isFalse();
    }

    @Test
    void askingWhetherItIsClosedDoesNotMakeAThreadItsUser() throws Exception {
        recorder.answers.put("isClosed", false);
        WrappedConnection inUse = owner.acquire(raw);
        onAnotherThread(inUse::isClosed);
        inUse.createStatement().execute("select 1");

        inUse.close();

        assertThat(owner.returns).containsExactly(true);
    }

    /**
     * Only some nanoseconds pass between the first look at the checkout and the count. A race of threads cannot hit
     * them.
     */
    @Test
    void aThreadThatIsCountedAfterTheEndDoesNotEnter() throws SQLException {
        owner.severalThreads = true;
        PhysicalConnection physical = new PhysicalConnection(raw);
        WrappedConnection inUse = owner.acquire(physical);
        inUse.createStatement().close();
        assertThat(inUse.countIn(new Object())).isTrue();
        assertThat(physical.entered()).isEqualTo(1);
        inUse.leave();
        inUse.close();

        assertThat(inUse.countIn(new Object())).isFalse();
        assertThat(physical.entered()).isZero();
        assertThat(owner.returns).containsExactly(true);
    }
}
