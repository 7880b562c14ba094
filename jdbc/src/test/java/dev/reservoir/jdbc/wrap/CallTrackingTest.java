package dev.reservoir.jdbc.wrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.Recorder;
import dev.reservoir.jdbc.SampleValues;
import dev.reservoir.jdbc.TestConnectionOwner;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Another thread can see that one call of the driver has been in progress since its last look. */
class CallTrackingTest {
    /** The methods that wait for the server in some driver. */
    private static final Set<String> WAITS = Set.of(
            "commit",
            "rollback",
            "setAutoCommit",
            "setSchema",
            "setSavepoint",
            "releaseSavepoint",
            "isValid",
            "prepareStatement",
            "prepareCall",
            "next",
            "insertRow",
            "updateRow",
            "getMoreResults");

    private final Recorder recorder = new Recorder();
    private final TestConnectionOwner owner = new TestConnectionOwner();

    private PhysicalConnection physical() throws SQLException {
        return new PhysicalConnection(recorder.idle(Connection.class));
    }

    private static boolean isOdd(int number) {
        return (number & 1) == 1;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theNumberIsOddDuringACallThatWaitsAndEvenAfterEveryCall(Kind kind) throws Exception {
        Set<String> odd = new TreeSet<>();
        for (Method method : kind.methods()) {
            PhysicalConnection physical = physical();
            Object wrapper = kind.on(owner.acquire(physical));
            int before = physical.calls();
            List<Integer> during = new ArrayList<>();
            recorder.whileCalled = called -> {
                if (called.getName().equals(method.getName())) {
                    during.add(physical.calls());
                }
            };
            method.invoke(wrapper, SampleValues.argumentsOf(method));

            if (!during.isEmpty() && during.stream().allMatch(CallTrackingTest::isOdd)) {
                odd.add(method.getName());
                assertThat(physical.calls()).as("%s", method).isGreaterThan(before);
            }
            assertThat(isOdd(physical.calls())).as("%s", method).isFalse();
            recorder.whileCalled = called -> {};
        }
        for (Method method : kind.methods()) {
            String name = method.getName();
            boolean waits = name.startsWith("execute") || WAITS.contains(name);
            if (waits && kind != Kind.META_DATA) {
                assertThat(odd).contains(name);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theNumberIsEvenAfterACallThatFailed(Kind kind) throws Exception {
        for (Throwable failure :
                List.of(new SQLException("no"), new IllegalStateException(), new StackOverflowError())) {
            for (Method method : kind.methods()) {
                recorder.failure = null;
                PhysicalConnection physical = physical();
                Object wrapper = kind.on(owner.acquire(physical));
                recorder.failure = failure;
                try {
                    method.invoke(wrapper, SampleValues.argumentsOf(method));
                } catch (InvocationTargetException e) {
                    // it may fail
                }
                assertThat(isOdd(physical.calls())).as("%s", method).isFalse();
            }
        }
    }

    @Test
    void theResetAtTheEndIsACallAsWell() throws SQLException {
        List<Integer> during = new ArrayList<>();
        PhysicalConnection physical = physical();
        WrappedConnection inUse = owner.acquire(physical);
        inUse.setAutoCommit(false);
        inUse.createStatement().execute("insert");
        recorder.whileCalled = method -> during.add(physical.calls());

        inUse.close();

        assertThat(during).isNotEmpty().allMatch(CallTrackingTest::isOdd);
        assertThat(isOdd(physical.calls())).isFalse();
    }

    @Test
    void aConnectionThatIsIdleNeverLooksBusyWhateverThreadsDidAtOnce() throws Exception {
        owner.severalThreads = true;
        PhysicalConnection physical = new PhysicalConnection(new SilentDriver().connection());
        WrappedConnection inUse = owner.acquire(physical);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            for (int round = 0; round < 300; round++) {
                CyclicBarrier start = new CyclicBarrier(3);
                List<Future<?>> uses = new ArrayList<>();
                for (int t = 0; t < 3; t++) {
                    uses.add(threads.submit(() -> {
                        start.await(30, TimeUnit.SECONDS);
                        for (int i = 0; i < 20; i++) {
                            inUse.commit();
                        }
                        return null;
                    }));
                }
                for (Future<?> use : uses) {
                    use.get(30, TimeUnit.SECONDS);
                }
                assertThat(isOdd(physical.calls())).as("round %d", round).isFalse();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Returns nothing and remembers nothing, so that several threads may call it at once. */
    private static final class SilentDriver {
        Connection connection() {
            return (Connection) java.lang.reflect.Proxy.newProxyInstance(
                    SilentDriver.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (self, method, arguments) -> method.getName().equals("getAutoCommit") ? true : null);
        }
    }

    @Test
    void aCallOfAClosedWrapperIsNoCall() throws SQLException {
        PhysicalConnection physical = physical();
        WrappedConnection inUse = owner.acquire(physical);
        Statement statement = inUse.createStatement();
        inUse.close();
        int before = physical.calls();

        assertThatThrownBy(() -> statement.execute("select 1")).isInstanceOf(SQLException.class);
        assertThatThrownBy(inUse::commit).isInstanceOf(SQLException.class);

        assertThat(physical.calls()).isEqualTo(before);
    }
}
