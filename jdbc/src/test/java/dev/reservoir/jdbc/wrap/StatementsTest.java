package dev.reservoir.jdbc.wrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.TestConnectionOwner;
import dev.reservoir.jdbc.TestPostgres;
import java.math.BigDecimal;
import java.sql.BatchUpdateException;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGStatement;

/** Wrapped statements of every kind behave as those of the driver do. Runs on a real PostgreSQL. */
class StatementsTest {
    private final TestConnectionOwner owner = new TestConnectionOwner();
    private Connection raw;
    private WrappedConnection connection;

    @BeforeEach
    void open() throws SQLException {
        raw = TestPostgres.open();
        connection = owner.acquire(raw);
        try (Statement s = connection.createStatement()) {
            s.execute("create temporary table item (id serial primary key, name text unique, price numeric(10, 2))");
        }
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        raw.close();
        assertThat(owner.returns).doesNotContain(false);
        assertThat(owner.brokenBy).isEmpty();
    }

    @Test
    void aStatementRunsAndLeadsBackToItsConnection() throws SQLException {
        try (Statement s = connection.createStatement()) {
            assertThat(s.executeUpdate("insert into item (name) values ('a'), ('b')"))
                    .isEqualTo(2);
            assertThat(s.execute("select name from item order by id")).isTrue();
            try (ResultSet r = s.getResultSet()) {
                assertThat(r).isInstanceOf(WrappedResultSet.class);
                assertThat(r.next()).isTrue();
                assertThat(r.getString(1)).isEqualTo("a");
                assertThat(r.getStatement()).isSameAs(s);
            }
            assertThat(s.getMoreResults()).isFalse();
            assertThat(s.getUpdateCount()).isEqualTo(-1);
            assertThat(s.getResultSet()).isNull();
            assertThat(s.getConnection()).isSameAs(connection);
            assertThat(s.executeLargeUpdate("update item set price = 1")).isEqualTo(2);
        }
    }

    @Test
    void severalResultsOfOneStatementAreReadOneAfterTheOther() throws SQLException {
        try (Statement s = connection.createStatement()) {
            assertThat(s.execute("select 1; select 2")).isTrue();
            ResultSet first = s.getResultSet();
            assertThat(first.next()).isTrue();
            assertThat(s.getMoreResults(Statement.KEEP_CURRENT_RESULT)).isTrue();
            ResultSet second = s.getResultSet();
            assertThat(second.next()).isTrue();
            assertThat(first.getInt(1) + second.getInt(1)).isEqualTo(3);
        }
    }

    @Test
    void generatedKeysAreHandedOut() throws SQLException {
        try (PreparedStatement s =
                connection.prepareStatement("insert into item (name) values (?)", Statement.RETURN_GENERATED_KEYS)) {
            s.setString(1, "a");
            assertThat(s.executeUpdate()).isEqualTo(1);
            try (ResultSet keys = s.getGeneratedKeys()) {
                assertThat(keys).isInstanceOf(WrappedResultSet.class);
                assertThat(keys.next()).isTrue();
                assertThat(keys.getInt("id")).isPositive();
                assertThat(keys.getStatement()).isSameAs(s);
            }
        }
        try (PreparedStatement s =
                connection.prepareStatement("insert into item (name) values ('b')", new String[] {"id", "name"})) {
            s.executeUpdate();
            try (ResultSet keys = s.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                assertThat(keys.getString("name")).isEqualTo("b");
            }
        }
    }

    @Test
    void aPreparedStatementTakesParametersAndDescribesItself() throws SQLException {
        try (PreparedStatement s =
                connection.prepareStatement("insert into item (name, price) values (?, ?) returning id, price")) {
            s.setString(1, "a");
            s.setBigDecimal(2, new BigDecimal("9.99"));
            assertThat(s.getParameterMetaData().getParameterCount()).isEqualTo(2);
            assertThat(s.getMetaData().getColumnCount()).isEqualTo(2);
            try (ResultSet r = s.executeQuery()) {
                assertThat(r.next()).isTrue();
                assertThat(r.getBigDecimal("price")).isEqualByComparingTo("9.99");
            }
            s.clearParameters();
            s.setString(1, null);
            s.setNull(2, Types.NUMERIC);
            assertThat(s.execute()).isTrue();
            assertThat(s.unwrap(PGStatement.class)).isNotNull();
            assertThat(s.isWrapperFor(PGStatement.class)).isTrue();
            assertThat(s.unwrap(PreparedStatement.class)).isSameAs(s);
        }
    }

    @Test
    void batchesRunAndFailAsTheyDoWithout() throws SQLException {
        try (PreparedStatement s = connection.prepareStatement("insert into item (name) values (?)")) {
            for (String name : new String[] {"a", "b", "c"}) {
                s.setString(1, name);
                s.addBatch();
            }
            assertThat(s.executeBatch()).containsExactly(1, 1, 1);
            s.setString(1, "a");
            s.addBatch();
            assertThatThrownBy(s::executeBatch)
                    .isInstanceOf(BatchUpdateException.class)
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isEqualTo("23505");
        }
        try (Statement s = connection.createStatement()) {
            s.addBatch("delete from item where name = 'a'");
            s.addBatch("delete from item");
            assertThat(s.executeLargeBatch()).containsExactly(1, 2);
        }
    }

    @Test
    void aCallableStatementReturnsItsParameters() throws SQLException {
        try (CallableStatement s = connection.prepareCall("{? = call upper(?)}")) {
            s.registerOutParameter(1, Types.VARCHAR);
            s.setString(2, "abc");
            s.execute();
            assertThat(s.getString(1)).isEqualTo("ABC");
            assertThat(s.getObject(1)).isEqualTo("ABC");
            assertThat(s.wasNull()).isFalse();
            assertThat(s.getConnection()).isSameAs(connection);
        }
    }

    @Test
    void aCursorThatComesBackAsAValueIsHandedOutAndClosedOnReturn() throws SQLException {
        try (Statement s = connection.createStatement()) {
            s.execute("create function pg_temp.items() returns refcursor language plpgsql as "
                    + "'declare c refcursor; begin open c for select 7; return c; end'");
        }
        connection.setAutoCommit(false);
        try (CallableStatement s = connection.prepareCall("{? = call pg_temp.items()}")) {
            s.registerOutParameter(1, Types.REF_CURSOR);
            s.execute();
            ResultSet cursor = (ResultSet) s.getObject(1);
            assertThat(cursor).isInstanceOf(WrappedResultSet.class);
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.getInt(1)).isEqualTo(7);
            assertThat(cursor.getStatement().getConnection()).isSameAs(connection);
            connection.close();
            assertThat(cursor.isClosed()).isTrue();
        }
    }

    @Test
    void savepointsWork() throws SQLException {
        connection.setAutoCommit(false);
        try (Statement s = connection.createStatement()) {
            s.execute("insert into item (name) values ('a')");
            Savepoint named = connection.setSavepoint("before_b");
            assertThat(named.getSavepointName()).isEqualTo("before_b");
            s.execute("insert into item (name) values ('b')");
            connection.rollback(named);
            Savepoint unnamed = connection.setSavepoint();
            connection.releaseSavepoint(unnamed);
            connection.commit();
            try (ResultSet r = s.executeQuery("select count(*) from item")) {
                assertThat(r.next()).isTrue();
                assertThat(r.getInt(1)).isEqualTo(1);
            }
        }
    }

    @Test
    void aStatementClosesOnCompletionIfAsked() throws SQLException {
        for (int i = 0; i < 3; i++) {
            Statement other = connection.createStatement();
            Statement s = connection.createStatement();
            s.closeOnCompletion();
            assertThat(s.isCloseOnCompletion()).isTrue();
            ResultSet r = s.executeQuery("select 1");
            assertThat(s.isClosed()).isFalse();

            r.close();

            assertThat(s.isClosed()).isTrue();
            assertThatThrownBy(() -> s.execute("select 1")).isInstanceOf(SQLException.class);
            other.close();
            assertThat(connection.physical.open.isEmpty()).isTrue();
        }
    }

    @Test
    void aStatementCanBeCancelledFromAnotherThread() throws Exception {
        try (Statement s = connection.createStatement()) {
            Thread canceller = new Thread(() -> {
                try (Connection other = TestPostgres.open();
                        Statement look = other.createStatement()) {
                    boolean isRunning = false;
                    for (int i = 0; i < 10_000 && !isRunning; i++) {
                        try (ResultSet r = look.executeQuery("select 1 from pg_stat_activity where state = 'active'"
                                + " and query like 'select pg_sleep(59)%'")) {
                            isRunning = r.next();
                        }
                    }
                    s.cancel();
                } catch (SQLException e) {
                    throw new AssertionError(e);
                }
            });
            canceller.start();

            assertThatThrownBy(() -> s.execute("select pg_sleep(59)"))
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isEqualTo("57014");
            canceller.join();
            assertThat(s.execute("select 1")).isTrue();
        }
    }

    @Test
    void settingsOfAStatementAreItsOwn() throws SQLException {
        try (Statement s = connection.createStatement(
                ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE, ResultSet.HOLD_CURSORS_OVER_COMMIT)) {
            s.setFetchSize(3);
            s.setMaxRows(5);
            s.setQueryTimeout(7);
            assertThat(s.getFetchSize()).isEqualTo(3);
            assertThat(s.getMaxRows()).isEqualTo(5);
            assertThat(s.getQueryTimeout()).isEqualTo(7);
            assertThat(s.getResultSetType()).isEqualTo(ResultSet.TYPE_SCROLL_INSENSITIVE);
            assertThat(s.getResultSetConcurrency()).isEqualTo(ResultSet.CONCUR_UPDATABLE);
            assertThat(s.getResultSetHoldability()).isEqualTo(ResultSet.HOLD_CURSORS_OVER_COMMIT);
            assertThat(s.enquoteIdentifier("Odd name", false)).isEqualTo("\"Odd name\"");
            assertThat(s.enquoteLiteral("it's")).isEqualTo("'it''s'");
        }
    }
}
