package dev.reservoir.jdbc.wrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.reservoir.jdbc.Recorder;
import dev.reservoir.jdbc.SampleValues;
import dev.reservoir.jdbc.TestConnectionOwner;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The wrappers implement every method of JDBC, call the same method of the driver, and classify its errors. */
class WrapperCompletenessTest {
    /** The methods that do not call the same method of the driver. */
    private static final Set<String> OF_OUR_OWN =
            Set.of("close", "getConnection", "getStatement", "unwrap", "isWrapperFor", "beginRequest", "endRequest");

    private final Recorder recorder = new Recorder();
    private final TestConnectionOwner owner = new TestConnectionOwner();

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everyMethodOfTheInterfaceIsOverridden(Kind kind) throws Exception {
        for (Method method : kind.methods()) {
            Method own = kind.wrapper.getMethod(method.getName(), method.getParameterTypes());

            assertThat(own.getDeclaringClass().isInterface()).as("%s", method).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everyCallIsPassedOnAsItIs(Kind kind) throws Exception {
        for (Method method : kind.methods()) {
            if (OF_OUR_OWN.contains(method.getName())) {
                continue;
            }
            Object wrapper = kind.on(owner.acquire(recorder.idle(Connection.class)));
            recorder.clear();
            Object[] arguments = SampleValues.argumentsOf(method);

            Object answer = method.invoke(wrapper, arguments);

            List<Recorder.Call> same = recorder.calls.stream()
                    .filter(c -> isSame(c.method(), method) && c.arguments().equals(Arrays.asList(arguments)))
                    .toList();
            assertThat(same).as("%s", method).hasSize(1);
            if (answer instanceof Statement || answer instanceof java.sql.ResultSet) {
                assertThat(answer.getClass().getSimpleName()).as("%s", method).startsWith("Wrapped");
            } else if (!method.getName().equals("getMetaData")) {
                assertThat(answer).as("%s", method).isEqualTo(same.get(0).answer());
            }
        }
    }

    private static boolean isSame(Method a, Method b) {
        return a.getName().equals(b.getName()) && Arrays.equals(a.getParameterTypes(), b.getParameterTypes());
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void everyErrorIsJudgedAndThrownAsItIs(Kind kind) throws Exception {
        for (Method method : kind.methods()) {
            if (!neverFails(kind, method.getName())) {
                failsOnce(kind, method);
            }
        }
    }

    private static boolean neverFails(Kind kind, String method) {
        return switch (method) {
            case "getConnection", "getDriverMajorVersion", "getDriverMinorVersion", "beginRequest", "endRequest" ->
                true;
            case "abort", "close" -> kind == Kind.CONNECTION;
            case "getStatement" -> kind == Kind.RESULT_SET;
            default -> false;
        };
    }

    private void failsOnce(Kind kind, Method method) throws Exception {
        recorder.failure = null;
        owner.brokenBy.clear();
        Object wrapper = kind.on(owner.acquire(recorder.idle(Connection.class)));
        SQLException failure = new SQLException("the server is gone", "08006");
        recorder.failure = failure;
        Object[] arguments = SampleValues.argumentsOf(method);
        if (method.getDeclaringClass() == Wrapper.class) {
            arguments[0] = Recorder.class;
        }
        fails(wrapper, method, arguments, failure);
        if (!Set.of("close", "isValid").contains(method.getName())) {
            fails(wrapper, method, arguments, failure);
        }
        assertThat(owner.brokenBy).as("%s", method).containsExactly(failure);
    }

    private static void fails(Object wrapper, Method method, Object[] arguments, SQLException failure)
            throws Exception {
        try {
            method.invoke(wrapper, arguments);
            fail("%s did not fail", method);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            assertThat(thrown instanceof SQLClientInfoException ? thrown.getCause() : thrown)
                    .as("%s", method)
                    .isSameAs(failure);
        }
    }
}
