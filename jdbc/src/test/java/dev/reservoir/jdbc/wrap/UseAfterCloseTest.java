package dev.reservoir.jdbc.wrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.reservoir.jdbc.Recorder;
import dev.reservoir.jdbc.SampleValues;
import dev.reservoir.jdbc.TestConnectionOwner;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** After close no call reaches the driver, no matter how the driver would treat it. */
class UseAfterCloseTest {
    /** The methods that JDBC allows on a closed object. */
    private static final Map<Kind, Set<String>> ALLOWED = Map.of(
            Kind.CONNECTION, Set.of("close", "isClosed", "isValid", "abort"),
            Kind.STATEMENT, Set.of("close", "isClosed"),
            Kind.PREPARED, Set.of("close", "isClosed"),
            Kind.CALLABLE, Set.of("close", "isClosed"),
            Kind.RESULT_SET, Set.of("close", "isClosed"),
            Kind.LOOSE_RESULT_SET, Set.of("close", "isClosed"),
            Kind.META_DATA, Kind.VERSIONS);

    private final Recorder recorder = new Recorder();
    private final TestConnectionOwner owner = new TestConnectionOwner();

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everyMethodFailsWith08003OnceTheConnectionIsBack(Kind kind) throws Exception {
        Connection connection = owner.acquire(recorder.idle(Connection.class));
        Object wrapper = kind.on(connection);
        connection.close();

        everyMethodFails(kind, wrapper, "08003");
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            mode = Mode.EXCLUDE,
            names = {"CONNECTION", "META_DATA"})
    void everyMethodFailsOnceItIsClosedItself(Kind kind) throws Exception {
        Object wrapper = kind.on(owner.acquire(recorder.idle(Connection.class)));
        Kind.close(wrapper);

        everyMethodFails(kind, wrapper, "HY010");
    }

    @Test
    void everyMethodOfAResultSetFailsOnceItsStatementIsClosed() throws Exception {
        WrappedResultSet wrapper =
                (WrappedResultSet) Kind.RESULT_SET.on(owner.acquire(recorder.idle(Connection.class)));
        wrapper.getStatement().close();

        everyMethodFails(Kind.RESULT_SET, wrapper, "HY010");
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everyMethodFailsOnceTheConnectionIsAborted(Kind kind) throws Exception {
        Connection connection = owner.acquire(recorder.idle(Connection.class));
        Object wrapper = kind.on(connection);
        connection.abort(Runnable::run);

        everyMethodFails(kind, wrapper, "08003");
    }

    private void everyMethodFails(Kind kind, Object wrapper, String state) throws Exception {
        recorder.clear();
        for (Method method : kind.methods()) {
            Object[] arguments = SampleValues.argumentsOf(method);
            if (ALLOWED.get(kind).contains(method.getName())) {
                method.invoke(wrapper, arguments);
                continue;
            }
            try {
                method.invoke(wrapper, arguments);
                fail("%s did not fail", method);
            } catch (InvocationTargetException e) {
                assertThat(e.getCause()).as("%s", method).isInstanceOf(SQLException.class);
                assertThat(((SQLException) e.getCause()).getSQLState())
                        .as("%s", method)
                        .isEqualTo(state);
            }
        }
        assertThat(recorder.names()).isSubsetOf(Kind.VERSIONS);
        assertThat(owner.brokenBy).isEmpty();
    }
}
