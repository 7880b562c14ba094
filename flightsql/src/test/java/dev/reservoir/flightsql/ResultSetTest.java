package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.flightsql.jdbc.ResultSetView;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.junit.FlightSqlServerExtension;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Calendar;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Results as JDBC result sets. */
class ResultSetTest {
    @RegisterExtension
    static final FlightSqlServerExtension flight = new FlightSqlServerExtension();

    private static final LocalDateTime MOMENT = LocalDateTime.of(2026, 1, 2, 3, 4, 5, 678_901_000);

    private final FlightSqlServer server = flight.server();
    private final TestPool test = TestPool.of(server);
    private final FlightSqlPool pool = test.pool;

    @AfterEach
    void close() {
        test.close();
    }

    private static ResultSet first(QueryResult result) throws SQLException {
        ResultSet rows = result.asResultSet();
        assertThat(rows.next()).isTrue();
        return rows;
    }

    @Test
    void rowsStreamInOrderAndGiveTheConnectionBackAtTheEnd() throws SQLException {
        try (ResultSet rows =
                pool.query("SELECT i, 'n' || i AS Name FROM range(10000) t(i)").asResultSet()) {
            assertThat(rows.isBeforeFirst()).isTrue();
            assertThat(rows.getRow()).isZero();
            long expected = 0;
            while (rows.next()) {
                assertThat(rows.getLong(1)).isEqualTo(expected);
                assertThat(rows.getString("nAmE")).isEqualTo("n" + expected);
                expected++;
                assertThat(rows.getRow()).isEqualTo((int) expected);
                assertThat(rows.isFirst()).isEqualTo(expected == 1);
                if (expected == 1) {
                    assertThat(test.metric("pool.conn.in_use")).isEqualTo(1);
                }
            }
            assertThat(expected).isEqualTo(10_000);
            assertThat(rows.isAfterLast()).isTrue();
            assertThat(rows.isBeforeFirst()).isFalse();
            assertThat(rows.getRow()).isZero();
            assertThat(rows.next()).isFalse();
            assertThat(test.metric("pool.conn.in_use")).isZero();
        }
    }

    @Test
    void anEmptyResultHasColumnsAndNoPosition() throws SQLException {
        ResultSet rows = pool.query("SELECT 1 AS x WHERE false").asResultSet();
        assertThat(rows.getMetaData().getColumnName(1)).isEqualTo("x");
        assertThat(rows.isBeforeFirst()).isFalse();
        assertThat(rows.next()).isFalse();
        assertThat(rows.isAfterLast()).isFalse();
        assertThat(rows.isFirst()).isFalse();
        rows.close();
    }

    @Test
    void toCloseItEarlyGivesTheConnectionBack() throws SQLException {
        ResultSet rows = first(pool.query("SELECT i FROM range(10000) t(i)"));
        assertThat(rows.toString()).isEqualTo("ResultSet[open]");
        rows.close();
        rows.close();
        assertThat(rows.isClosed()).isTrue();
        assertThat(rows.toString()).isEqualTo("ResultSet[closed]");
        for (ThrowingCallable use : List.<ThrowingCallable>of(
                rows::next, () -> rows.getLong(1), rows::getMetaData, rows::wasNull, () -> rows.findColumn("i"))) {
            assertThatThrownBy(use).isInstanceOf(SQLException.class).hasMessage("the result set is closed");
        }
        test.awaitMetric("pool.conn.in_use", 0);
        assertThat(test.metric("pool.handles.open")).isZero();
    }

    @Test
    void numbersAreConvertedIfNothingIsLost() throws SQLException {
        try (ResultSet row = first(pool.query("SELECT 7::BIGINT AS n, 300 AS large, 1.50::DECIMAL(9,2) AS d,"
                + " 2.5::DOUBLE AS f, 0::TINYINT AS no, 'x' AS text, true AS yes"))) {
            assertThat(row.getByte("n")).isEqualTo((byte) 7);
            assertThat(row.getShort("n")).isEqualTo((short) 7);
            assertThat(row.getInt("n")).isEqualTo(7);
            assertThat(row.getFloat("n")).isEqualTo(7f);
            assertThat(row.getDouble("d")).isEqualTo(1.5);
            assertThat(row.getBigDecimal("d")).isEqualTo(new BigDecimal("1.50"));
            assertThat(row.getObject("n", Integer.class)).isEqualTo(7);
            assertThat(row.getString("f")).isEqualTo("2.5");
            assertThat(row.getBoolean("no")).isFalse();
            assertThat(row.getBoolean("yes")).isTrue();
            assertThatThrownBy(() -> row.getByte("large")).isInstanceOf(SQLDataException.class);
            assertThatThrownBy(() -> row.getBoolean("n")).isInstanceOf(SQLDataException.class);
            assertThatThrownBy(() -> row.getInt("text"))
                    .isInstanceOf(SQLDataException.class)
                    .hasMessage("column text is a String and cannot be a Integer");
        }
    }

    @Test
    void datesAndTimesAreThoseOfBothWorlds() throws SQLException {
        String sql =
                "SELECT DATE '2026-01-02' AS d, TIME '03:04:05' AS t, TIMESTAMP '2026-01-02 03:04:05.678901' AS ts,"
                        + " TIMESTAMPTZ '2026-01-02 03:04:05.678901+00' AS tz";
        try (ResultSet row = first(pool.query(sql))) {
            assertThat(row.getObject("d")).isEqualTo(LocalDate.of(2026, 1, 2));
            assertThat(row.getObject("t")).isEqualTo(LocalTime.of(3, 4, 5));
            assertThat(row.getObject("ts")).isEqualTo(MOMENT);
            assertThat(row.getObject("tz")).isEqualTo(MOMENT.toInstant(ZoneOffset.UTC));
            assertThat(row.getDate("d")).isEqualTo(Date.valueOf("2026-01-02"));
            assertThat(row.getTime("t")).isEqualTo(Time.valueOf("03:04:05"));
            assertThat(row.getTimestamp("ts")).isEqualTo(Timestamp.valueOf(MOMENT));
            assertThat(row.getTimestamp("tz")).isEqualTo(Timestamp.from(MOMENT.toInstant(ZoneOffset.UTC)));
            assertThat(row.getDate("ts")).isEqualTo(Date.valueOf("2026-01-02"));
            assertThat(row.getObject("ts", LocalDate.class)).isEqualTo(LocalDate.of(2026, 1, 2));
            assertThat(row.getObject("tz", OffsetDateTime.class)).isEqualTo(MOMENT.atOffset(ZoneOffset.UTC));
            assertThat(row.getObject("d", Date.class)).isEqualTo(Date.valueOf("2026-01-02"));
            Calendar tokyo = Calendar.getInstance(TimeZone.getTimeZone("Asia/Tokyo"));
            assertThat(row.getTimestamp("ts", tokyo).toInstant()).isEqualTo(MOMENT.toInstant(ZoneOffset.ofHours(9)));
            assertThat(row.getTimestamp("tz", tokyo).toInstant()).isEqualTo(MOMENT.toInstant(ZoneOffset.UTC));
            assertThat(row.getDate("d", tokyo).getTime())
                    .isEqualTo(Instant.parse("2026-01-01T15:00:00Z").toEpochMilli());
            assertThatThrownBy(() -> row.getTimestamp("t")).isInstanceOf(SQLDataException.class);
        }
    }

    @Test
    void textsAndBytesAreReadAlsoAsStreams() throws Exception {
        try (ResultSet row = first(pool.query("SELECT 'Bern' AS name, 'ab'::BLOB AS raw, ['a'] AS list"))) {
            assertThat(row.getNString("name")).isEqualTo("Bern");
            char[] text = new char[4];
            assertThat(row.getCharacterStream("name").read(text)).isEqualTo(4);
            assertThat(new String(text)).isEqualTo("Bern");
            assertThat(row.getBytes("raw")).isEqualTo("ab".getBytes(StandardCharsets.UTF_8));
            assertThat(row.getBinaryStream("raw").readAllBytes()).hasSize(2);
            assertThat(row.getObject("list")).isEqualTo(List.of("a"));
        }
    }

    @Test
    void nullIsToldFromZero() throws SQLException {
        try (ResultSet row = first(pool.query("SELECT NULL::INTEGER AS a, 0 AS b, NULL::VARCHAR AS c"))) {
            assertThat(row.wasNull()).isFalse();
            assertThat(row.getInt("a")).isZero();
            assertThat(row.wasNull()).isTrue();
            assertThat(row.getInt("b")).isZero();
            assertThat(row.wasNull()).isFalse();
            assertThat(row.getString("c")).isNull();
            assertThat(row.wasNull()).isTrue();
            assertThat(row.getBoolean("a")).isFalse();
            assertThat(row.getTimestamp("c")).isNull();
            assertThat(row.getBinaryStream("c")).isNull();
        }
    }

    @Test
    void columnsAreDescribed() throws SQLException {
        String sql = "SELECT 1 AS i, 2::BIGINT AS l, 3::UBIGINT AS u, 1.25::DECIMAL(9,2) AS d, 'x' AS s, true AS b,"
                + " 'a'::BLOB AS r, DATE '2026-01-01' AS dd, TIMESTAMPTZ '2026-01-01 00:00:00+00' AS tz, [1] AS a,"
                + " {'x': 1} AS st, 1.5::REAL AS f";
        try (ResultSet rows = pool.query(sql).asResultSet()) {
            ResultSetMetaData columns = rows.getMetaData();
            assertThat(columns.getColumnCount()).isEqualTo(12);
            int[] types = new int[12];
            for (int i = 0; i < types.length; i++) {
                types[i] = columns.getColumnType(i + 1);
            }
            assertThat(types)
                    .containsExactly(
                            Types.INTEGER,
                            Types.BIGINT,
                            Types.NUMERIC,
                            Types.DECIMAL,
                            Types.VARCHAR,
                            Types.BOOLEAN,
                            Types.VARBINARY,
                            Types.DATE,
                            Types.TIMESTAMP_WITH_TIMEZONE,
                            Types.ARRAY,
                            Types.STRUCT,
                            Types.REAL);
            assertThat(columns.getColumnLabel(4)).isEqualTo("d");
            assertThat(columns.getColumnTypeName(4)).isEqualTo("DECIMAL");
            assertThat(columns.getPrecision(4)).isEqualTo(9);
            assertThat(columns.getScale(4)).isEqualTo(2);
            assertThat(columns.getColumnDisplaySize(4)).isEqualTo(11);
            assertThat(columns.isSigned(1)).isTrue();
            assertThat(columns.isSigned(3)).isFalse();
            assertThat(columns.isNullable(1)).isEqualTo(ResultSetMetaData.columnNullable);
            assertThat(columns.isCaseSensitive(5)).isTrue();
            assertThat(columns.isReadOnly(1)).isTrue();
            assertThat(columns.isWritable(1)).isFalse();
            assertThat(columns.getTableName(1)).isEmpty();
            assertThatThrownBy(() -> columns.getColumnType(13))
                    .isInstanceOf(SQLException.class)
                    .hasMessage("no column 13; there are 12, counted from 1");
            assertThat(rows.next()).isTrue();
            for (int i = 1; i <= 12; i++) {
                assertThat(rows.getObject(i).getClass().getName().replaceAll("Unmodifiable.*", ""))
                        .as(columns.getColumnName(i))
                        .isIn(columns.getColumnClassName(i), "java.util.Collections$");
            }
        }
    }

    /** The classes of JDBC have the Julian calendar before 1582, and those of the server do not. */
    @Test
    void datesOfLongAgoKeepTheirDay() throws SQLException {
        try (ResultSet row =
                first(pool.query("SELECT DATE '1500-03-01' AS d, TIMESTAMP '1500-03-01 04:05:06.000007' AS t"))) {
            LocalDateTime moment = LocalDateTime.of(1500, 3, 1, 4, 5, 6, 7_000);
            assertThat(row.getDate("d")).isEqualTo(Date.valueOf("1500-03-01"));
            assertThat(row.getTimestamp("d")).isEqualTo(Timestamp.valueOf("1500-03-01 00:00:00"));
            assertThat(row.getDate("t").toLocalDate()).isEqualTo(moment.toLocalDate());
            assertThat(row.getTimestamp("t").toLocalDateTime()).isEqualTo(moment);
            assertThat(row.getObject("d", LocalDate.class)).isEqualTo(moment.toLocalDate());
        }
    }

    @Test
    void numbersThatAreNoneAreFloats() throws SQLException {
        String sql = "SELECT 'NaN'::REAL AS rn, 'Infinity'::REAL AS ri, 'NaN'::DOUBLE AS dn, '-Infinity'::DOUBLE AS di";
        try (ResultSet row = first(pool.query(sql))) {
            assertThat(row.getDouble("rn")).isNaN();
            assertThat(row.getDouble("ri")).isEqualTo(Double.POSITIVE_INFINITY);
            assertThat(row.getFloat("dn")).isNaN();
            assertThat(row.getFloat("di")).isEqualTo(Float.NEGATIVE_INFINITY);
            assertThatThrownBy(() -> row.getLong("dn")).isInstanceOf(SQLDataException.class);
        }
    }

    @Test
    void aTimeThatJavaDoesNotHaveIsAnErrorOfJdbc() throws SQLException {
        try (ResultSet row = first(pool.query("SELECT TIME '24:00:00' AS t"))) {
            assertThatThrownBy(() -> row.getTime("t"))
                    .isInstanceOf(SQLDataException.class)
                    .hasMessage("column t has a date or time that Java does not have");
        }
    }

    @Test
    void misuseIsRefused() throws SQLException {
        try (ResultSet rows = pool.query("SELECT 1 AS x").asResultSet()) {
            assertThatThrownBy(() -> rows.getInt(1)).hasMessage("call next() first");
            assertThat(rows.next()).isTrue();
            assertThatThrownBy(() -> rows.getInt(0)).hasMessage("no column 0; there are 1, counted from 1");
            assertThatThrownBy(() -> rows.findColumn("y"))
                    .isInstanceOf(SQLException.class)
                    .hasMessage("no column y; there are [x]");
            assertThatThrownBy(() -> rows.setFetchSize(-1)).isInstanceOf(SQLException.class);
            assertThat(rows.next()).isFalse();
            assertThatThrownBy(() -> rows.getInt(1)).hasMessage("the result has no more rows");
        }
    }

    @Test
    void updatesAndScrollingAreNotSupported() throws SQLException {
        try (ResultSet rows = first(pool.query("SELECT 1 AS x"))) {
            for (ThrowingCallable use : List.<ThrowingCallable>of(
                    rows::previous,
                    rows::last,
                    rows::beforeFirst,
                    () -> rows.absolute(1),
                    () -> rows.updateInt(1, 2),
                    () -> rows.updateInt("x", 2),
                    rows::insertRow,
                    () -> rows.getBlob(1),
                    () -> rows.setFetchDirection(ResultSet.FETCH_REVERSE))) {
                assertThatThrownBy(use)
                        .isInstanceOfSatisfying(
                                SQLFeatureNotSupportedException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
            }
            assertThat(rows.getType()).isEqualTo(ResultSet.TYPE_FORWARD_ONLY);
            assertThat(rows.getConcurrency()).isEqualTo(ResultSet.CONCUR_READ_ONLY);
            assertThat(rows.getStatement()).isNull();
            assertThat((Object) rows.getWarnings()).isNull();
            QueryResult wrapped = rows.unwrap(QueryResult.class);
            assertThat(wrapped.schema().getFields()).hasSize(1);
            assertThat(rows.unwrap(ResultSet.class) == rows).isTrue();
            assertThat(rows.isWrapperFor(String.class)).isFalse();
            assertThat(Set.of(rows).contains(rows)).isTrue();
        }
    }

    @Test
    void aTimeoutWhileReadingIsAnErrorOfJdbc() throws SQLException {
        test.number("SELECT 1");
        QueryOptions options = QueryOptions.defaults().withTimeout(Duration.ofSeconds(4));
        ResultSet rows =
                pool.query("SELECT i FROM range(100000000000) t(i)", options).asResultSet();
        assertThatThrownBy(() -> {
                    while (rows.next()) {
                        assertThat(rows.getLong(1)).isNotNegative();
                    }
                })
                .isInstanceOf(SQLTimeoutException.class)
                .hasCauseInstanceOf(FlightSqlException.class);
        rows.close();
    }

    /** The proxy finds methods by name and parameters, so the compiler does not see a wrong one. */
    @Test
    void everyMethodOfTheViewIsOneOfTheInterface() {
        for (Method method : ResultSetView.class.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers())) {
                assertThat(ResultSet.class.getMethods())
                        .as(method.toString())
                        .anyMatch(of -> of.getName().equals(method.getName())
                                && Arrays.equals(of.getParameterTypes(), method.getParameterTypes())
                                && of.getReturnType() == method.getReturnType());
            }
        }
    }
}
