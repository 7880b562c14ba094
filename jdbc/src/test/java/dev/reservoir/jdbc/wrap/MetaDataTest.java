package dev.reservoir.jdbc.wrap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.jdbc.Recorder;
import dev.reservoir.jdbc.SampleValues;
import dev.reservoir.jdbc.TestConnectionOwner;
import dev.reservoir.jdbc.TestPostgres;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.jdbc.PgDatabaseMetaData;

/** Wrapped metadata returns what the metadata of the driver returns. Runs on a real PostgreSQL. */
class MetaDataTest {
    private final TestConnectionOwner owner = new TestConnectionOwner();
    private Connection raw;
    private WrappedConnection connection;

    @BeforeEach
    void open() throws SQLException {
        raw = TestPostgres.open();
        connection = owner.acquire(raw);
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        raw.close();
    }

    @Test
    void everyAnswerIsTheDriversOwn() throws Exception {
        DatabaseMetaData inUse = connection.getMetaData();
        DatabaseMetaData driversOwn = raw.getMetaData();
        int answers = 0;
        for (Method method : Kind.META_DATA.methods()) {
            if (method.getDeclaringClass() != DatabaseMetaData.class
                    || method.getName().equals("getConnection")) {
                continue;
            }
            Object[] arguments = SampleValues.argumentsOf(method);
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = arguments[i] instanceof String || arguments[i] instanceof Object[] ? null : arguments[i];
            }
            Object expected = outcome(method, driversOwn, arguments);
            assertThat(outcome(method, inUse, arguments)).as("%s", method).isEqualTo(expected);
            answers++;
        }
        assertThat(answers).isGreaterThan(170);
        assertThat(connection.physical.open.isEmpty()).isTrue();
    }

    /** Returns the result, with all its rows if it has any, or the text of the error. */
    private static Object outcome(Method method, Object target, Object[] arguments) throws Exception {
        try {
            Object answer = method.invoke(target, arguments);
            if (!(answer instanceof ResultSet result)) {
                return answer;
            }
            try (result) {
                List<Object> rows = new ArrayList<>();
                int columns = result.getMetaData().getColumnCount();
                for (int row = 0; row < 50 && result.next(); row++) {
                    for (int column = 1; column <= columns; column++) {
                        rows.add(result.getString(column));
                    }
                }
                return rows;
            }
        } catch (InvocationTargetException e) {
            return e.getCause().toString();
        }
    }

    @Test
    void itLeadsBackToTheHandedOutConnection() throws SQLException {
        DatabaseMetaData metaData = connection.getMetaData();

        assertThat(metaData.getConnection()).isSameAs(connection);
        assertThat(metaData.unwrap(DatabaseMetaData.class)).isSameAs(metaData);
        assertThat(metaData.unwrap(PgDatabaseMetaData.class)).isNotNull();
        assertThat(metaData.isWrapperFor(PgDatabaseMetaData.class)).isTrue();
        try (ResultSet r = metaData.getSchemas()) {
            assertThat(r.getStatement().getConnection()).isSameAs(connection);
            assertThat(r.getStatement()).isSameAs(r.getStatement());
        }
        assertThat(connection.physical.isUntouched()).isTrue();
    }

    @Test
    void aDriverWithoutAStatementBehindItsMetaDataHasNone() throws SQLException {
        Recorder recorder = new Recorder();
        recorder.answers.put("getStatement", null);
        WrappedConnection other = owner.acquire(recorder.idle(Connection.class));

        ResultSet r = other.getMetaData().getTables(null, null, null, null);

        assertThat(r.getStatement()).isNull();
        other.close();
        assertThat(r.isClosed()).isTrue();
        assertThat(recorder.names()).endsWith("close", "clearWarnings");
    }

    @Test
    void whatAQuestionStartedIsRolledBack() throws SQLException {
        connection.setAutoCommit(false);
        connection.getMetaData().getTables(null, null, "pg_class", null);

        connection.close();

        assertThat(owner.returns).containsExactly(true);
        assertThat(raw.getAutoCommit()).isTrue();
    }
}
