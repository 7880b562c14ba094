package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A value that can send queries by itself leaves no transaction open, no matter how the caller got it. */
class ActingValuesTest {
    private final Recorder recorder = new Recorder();
    private final TestConnectionOwner owner = new TestConnectionOwner();

    private interface Get {
        Object from(ResultSet rows, CallableStatement call, Class<?> type) throws SQLException;
    }

    static Stream<Arguments> ways() {
        List<Class<?>> types = List.of(Blob.class, Clob.class, NClob.class, Ref.class, Array.class);
        Map<String, Get> ways = Map.of(
                "by index", (rows, call, type) -> rows.getObject(1),
                "by label", (rows, call, type) -> rows.getObject("x"),
                "by index and map", (rows, call, type) -> rows.getObject(1, Map.of()),
                "by index and type", (rows, call, type) -> rows.getObject(1, type),
                "by label and type", (rows, call, type) -> rows.getObject("x", type),
                "of a call", (rows, call, type) -> call.getObject(1),
                "of a call by name and type", (rows, call, type) -> call.getObject("x", type));
        return types.stream()
                .flatMap(type -> ways.entrySet().stream().map(way -> Arguments.of(type, way.getKey(), way.getValue())));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("ways")
    void afterOneTheConnectionIsRolledBack(Class<?> type, String way, Get get) throws SQLException {
        assertThat(callsOnReturnAfter(recorder.idle(type), type, get)).as(way).contains("rollback");
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("ways")
    void afterAnyOtherThereIsNothingToRollBack(Class<?> type, String way, Get get) throws SQLException {
        assertThat(callsOnReturnAfter("text", String.class, get)).as(way).doesNotContain("rollback");
    }

    @ParameterizedTest
    @MethodSource("arrays")
    void anArrayIsAsTheOthersAre(Get get) throws SQLException {
        assertThat(callsOnReturnAfter("text", Array.class, get)).contains("rollback");
    }

    static Stream<Arguments> arrays() {
        return Stream.<Get>of(
                        (rows, call, type) -> rows.getArray(1),
                        (rows, call, type) -> rows.getArray("x"),
                        (rows, call, type) -> call.getArray(1),
                        (rows, call, type) ->
                                rows.getStatement().getConnection().createArrayOf("int", new Object[0]))
                .map(Arguments::of);
    }

    private List<String> callsOnReturnAfter(Object value, Class<?> type, Get get) throws SQLException {
        recorder.answers.put("getAutoCommit", true);
        WrappedConnection connection = owner.acquire(recorder.idle(Connection.class));
        connection.setAutoCommit(false);
        recorder.answers.put("getAutoCommit", false);
        recorder.answers.put("getObject", value);
        CallableStatement call = connection.prepareCall("x");
        assertThat(get.from(call.executeQuery(), call, type)).isNotNull();
        connection.commit();
        recorder.clear();

        connection.close();

        assertThat(owner.returns).containsExactly(true);
        return recorder.names();
    }
}
