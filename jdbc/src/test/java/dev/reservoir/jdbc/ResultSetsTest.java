package dev.reservoir.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.jdbc.wrap.WrappedConnection;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Wrapped result sets behave as those of the driver do. Runs on a real PostgreSQL. */
class ResultSetsTest {
    private final TestConnectionOwner owner = new TestConnectionOwner();
    private Connection raw;
    private WrappedConnection connection;

    @BeforeEach
    void open() throws SQLException {
        raw = TestPostgres.open();
        connection = owner.acquire(raw);
        try (Statement s = connection.createStatement()) {
            s.execute("create temporary table item (id int primary key, name text)");
            s.execute("insert into item values (1, 'a'), (2, 'b'), (3, 'c')");
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
    void valuesOfEveryKindAreRead() throws SQLException {
        try (Statement s = connection.createStatement();
                ResultSet r = s.executeQuery("select 42 as i, 4.5::numeric as n, true as b, 'text'::text as t,"
                        + " date '2026-11-15' as d, '\\x0102'::bytea as x, array[1, 2] as a, null::text as z,"
                        + " '00000000-0000-0000-0000-000000000001'::uuid as u, '<a/>'::xml as m")) {
            assertThat(r.next()).isTrue();
            assertThat(r.getInt("i")).isEqualTo(42);
            assertThat(r.getLong(1)).isEqualTo(42);
            assertThat(r.getShort(1)).isEqualTo((short) 42);
            assertThat(r.getDouble("n")).isEqualTo(4.5);
            assertThat(r.getBigDecimal("n")).isEqualTo(new BigDecimal("4.5"));
            assertThat(r.getBoolean("b")).isTrue();
            assertThat(r.getString("t")).isEqualTo("text");
            assertThat(r.getDate("d").toLocalDate()).isEqualTo(LocalDate.of(2026, 11, 15));
            assertThat(r.getObject("d", LocalDate.class)).isEqualTo(LocalDate.of(2026, 11, 15));
            assertThat(r.getBytes("x")).containsExactly(1, 2);
            Array array = r.getArray("a");
            assertThat((Integer[]) array.getArray()).containsExactly(1, 2);
            assertThat(r.getString("z")).isNull();
            assertThat(r.wasNull()).isTrue();
            assertThat(r.getObject("z")).isNull();
            assertThat(r.getObject("u")).isEqualTo(new UUID(0, 1));
            SQLXML xml = r.getSQLXML("m");
            assertThat(xml.getString()).isEqualTo("<a/>");
            assertThat(r.findColumn("t")).isEqualTo(4);
            assertThat(r.getMetaData().getColumnCount()).isEqualTo(10);
            assertThat(r.next()).isFalse();
        }
    }

    @Test
    void itScrollsAndUpdates() throws SQLException {
        try (Statement s = connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                ResultSet r = s.executeQuery("select id, name from item order by id")) {
            assertThat(r.last()).isTrue();
            assertThat(r.getRow()).isEqualTo(3);
            assertThat(r.absolute(2)).isTrue();
            r.updateString("name", "B");
            r.updateRow();
            assertThat(r.previous()).isTrue();
            r.deleteRow();
            r.moveToInsertRow();
            r.updateInt(1, 9);
            r.updateString(2, "i");
            r.insertRow();
            r.moveToCurrentRow();
            r.beforeFirst();
            assertThat(r.isBeforeFirst()).isTrue();
        }
        try (Statement s = connection.createStatement();
                ResultSet r = s.executeQuery("select string_agg(name, ',' order by id) from item")) {
            assertThat(r.next()).isTrue();
            assertThat(r.getString(1)).isEqualTo("B,c,i");
        }
    }

    @Test
    void changesThroughItAreRolledBackOnReturn() throws SQLException {
        connection.setAutoCommit(false);
        ResultSet r = connection
                .createStatement(
                        ResultSet.TYPE_SCROLL_INSENSITIVE,
                        ResultSet.CONCUR_UPDATABLE,
                        ResultSet.HOLD_CURSORS_OVER_COMMIT)
                .executeQuery("select id, name from item order by id");
        connection.commit();
        assertThat(r.next()).isTrue();
        r.updateString("name", "changed");
        r.updateRow();

        connection.close();

        try (Statement s = raw.createStatement();
                ResultSet names = s.executeQuery("select count(*) from item where name = 'changed'")) {
            assertThat(names.next()).isTrue();
            assertThat(names.getInt(1)).isZero();
        }
    }

    @Test
    void largeObjectsAreReadAndWhatTheyStartIsRolledBack() throws SQLException {
        try (Statement s = connection.createStatement()) {
            s.execute("create temporary table file (content oid)");
            s.execute("insert into file values (lo_from_bytea(0, 'hello'))");
        }
        connection.setAutoCommit(false);
        try (Statement s = connection.createStatement();
                ResultSet r = s.executeQuery("select content from file")) {
            assertThat(r.next()).isTrue();
            Blob blob = r.getBlob(1);
            connection.commit();
            assertThat(new String(blob.getBytes(1, 5), StandardCharsets.UTF_8)).isEqualTo("hello");
        }
        assertThat(stateOnTheServer()).isEqualTo("idle in transaction");

        connection.close();

        assertThat(raw.getAutoCommit()).isTrue();
        assertThat(stateOnTheServer()).isEqualTo("idle");
    }

    private String stateOnTheServer() throws SQLException {
        try (Connection other = TestPostgres.open();
                PreparedStatement s = other.prepareStatement("select state from pg_stat_activity where pid = ?")) {
            s.setInt(1, raw.unwrap(PGConnection.class).getBackendPID());
            try (ResultSet r = s.executeQuery()) {
                assertThat(r.next()).isTrue();
                return r.getString(1);
            }
        }
    }

    @Test
    void aCursorFetchesInPieces() throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement s = connection.prepareStatement("select * from generate_series(1, 100)")) {
            s.setFetchSize(7);
            int sum = 0;
            try (ResultSet r = s.executeQuery()) {
                while (r.next()) {
                    sum += r.getInt(1);
                }
                assertThat(r.isAfterLast()).isTrue();
            }
            assertThat(sum).isEqualTo(5050);
        }
    }

    @Test
    void itClosesWithTheNextExecutionAndWithItsStatement() throws SQLException {
        Statement s = connection.createStatement();
        ResultSet first = s.executeQuery("select 1");
        ResultSet second = s.executeQuery("select 2");
        assertThat(first.isClosed()).isTrue();
        assertThatThrownBy(first::next).isInstanceOf(SQLException.class);
        assertThat(second.isClosed()).isFalse();

        s.close();

        assertThat(second.isClosed()).isTrue();
        assertThatThrownBy(second::next).isInstanceOf(SQLException.class);
        second.close();
    }

    @Test
    void itUnwrapsItselfAndTheDriver() throws SQLException {
        try (Statement s = connection.createStatement();
                ResultSet r = s.executeQuery("select 1")) {
            assertThat(r.unwrap(ResultSet.class)).isSameAs(r);
            assertThat(r.unwrap(org.postgresql.jdbc.PgResultSet.class)).isNotNull();
            assertThat(r.isWrapperFor(org.postgresql.jdbc.PgResultSet.class)).isTrue();
            assertThat(r.isWrapperFor(Connection.class)).isFalse();
        }
    }
}
