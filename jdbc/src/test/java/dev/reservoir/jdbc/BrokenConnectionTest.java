package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors of a real PostgreSQL, and which of them make a connection bad. */
class BrokenConnectionTest {
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

    private static void endSessionOf(Connection connection) throws SQLException {
        int pid;
        try (Statement s = connection.createStatement();
                ResultSet r = s.executeQuery("select pg_backend_pid()")) {
            assertThat(r.next()).isTrue();
            pid = r.getInt(1);
        }
        try (Connection other = TestPostgres.open();
                Statement s = other.createStatement();
                ResultSet r = s.executeQuery("select pg_terminate_backend(" + pid + ", 10000)")) {
            assertThat(r.next()).isTrue();
        }
    }

    @Test
    void aSessionEndedByTheServerIsReportedAtOnceAndOnce() throws SQLException {
        endSessionOf(connection);
        Statement statement = connection.createStatement();

        SQLException first = catchThrowableOfType(SQLException.class, () -> statement.execute("select 1"));
        assertThat(first.getSQLState()).isIn("57P01", "08006", "08003");
        assertThat(owner.brokenBy).containsExactly(first);
        assertThat(owner.returns).isEmpty();

        assertThatThrownBy(() -> statement.execute("select 1")).isInstanceOf(SQLException.class);
        assertThat(connection.isValid(1)).isFalse();
        connection.close();

        assertThat(owner.brokenBy).containsExactly(first);
        assertThat(owner.returns).containsExactly(false);
    }

    @Test
    void aSessionEndedInATransactionIsFoundOnReturn() throws SQLException {
        connection.setAutoCommit(false);
        endSessionOf(connection);

        connection.close();

        assertThat(owner.brokenBy).hasSize(1);
        assertThat(owner.returns).containsExactly(false);
    }

    @Test
    void aSessionEndedByTheServerIsNotValid() throws SQLException {
        endSessionOf(connection);

        assertThat(connection.isValid(1)).isFalse();

        assertThat(owner.brokenBy).hasSize(1);
    }

    @Test
    void anAnswerThatDoesNotComeInTimeBreaksTheConnection() throws SQLException {
        try (Connection impatient = DriverManager.getConnection(TestPostgres.url("socketTimeout=1"))) {
            WrappedConnection inUse = owner.acquire(impatient);
            assertThatThrownBy(() -> inUse.createStatement().execute("select pg_sleep(20)"))
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isEqualTo("08006");
        }

        assertThat(owner.brokenBy).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "42601 | nonsense",
                "42P01 | select * from no_such_table",
                "22012 | select 1 / 0",
                "23505 | create temporary table u (id int unique); insert into u values (1), (1)",
                "0A000 | select count(*) from pg_class for update",
                "40001 | do $$ begin raise serialization_failure; end $$",
                "53300 | do $$ begin raise too_many_connections; end $$",
                "53400 | do $$ begin raise configuration_limit_exceeded; end $$",
                "54000 | do $$ begin raise program_limit_exceeded; end $$",
                "XX000 | do $$ begin raise internal_error; end $$",
                "57014 | set statement_timeout = 20; select pg_sleep(1)",
            })
    void theErrorOfAStatementLeavesTheConnectionGood(String state, String sql) throws SQLException {
        assertThatThrownBy(() -> connection.createStatement().execute(sql))
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo(state);

        connection.close();

        assertThat(owner.brokenBy).isEmpty();
        assertThat(owner.returns).containsExactly(true);
    }

    @Test
    void aQueryTimeOutLeavesTheConnectionGood() throws SQLException {
        try (Statement s = connection.createStatement()) {
            s.setQueryTimeout(1);
            assertThatThrownBy(() -> s.execute("select pg_sleep(10)"))
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isEqualTo("57014");
        }
        assertThat(connection.isValid(1)).isTrue();
        connection.close();

        assertThat(owner.returns).containsExactly(true);
    }

    @Test
    void abortEndsTheRealConnection() throws SQLException {
        connection.abort(Runnable::run);

        assertThat(raw.isClosed()).isTrue();
        assertThat(owner.returns).containsExactly(false);
    }
}
