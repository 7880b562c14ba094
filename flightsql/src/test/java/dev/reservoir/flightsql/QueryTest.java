package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.reservoir.core.NoConnectionException;
import dev.reservoir.core.SettingException;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.junit.FlightSqlServerExtension;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stateless calls and their results. */
class QueryTest {
    @RegisterExtension
    static final FlightSqlServerExtension flight = new FlightSqlServerExtension();

    private final FlightSqlServer server = flight.server();
    private final TestPool test = TestPool.of(server);
    private final FlightSqlPool pool = test.pool;

    @AfterEach
    void close() {
        test.close();
    }

    /** A row as a record. */
    record City(String name, long people, LocalDate since) {}

    /** A row as a bean. */
    public static final class CityBean {
        private String name = "";
        private int peopleCount;

        public void setName(String value) {
            name = value;
        }

        public void setPeopleCount(int value) {
            peopleCount = value;
        }
    }

    @Test
    void rowsAreReadOneByOne() {
        List<Long> squares = new ArrayList<>();
        try (QueryResult result = pool.query("SELECT i, i * i AS square FROM range(5) t(i)")) {
            for (Row row = result.nextRow(); row != null; row = result.nextRow()) {
                squares.add(row.getLong("SQUARE"));
            }
        }
        assertThat(squares).containsExactly(0L, 1L, 4L, 9L, 16L);
    }

    @Test
    void batchesAreArrowVectors() {
        long sum = 0;
        int batches = 0;
        try (QueryResult result = pool.query("SELECT i FROM range(10000) t(i)")) {
            assertThat(result.schema().getFields()).hasSize(1);
            while (result.nextBatch()) {
                BigIntVector vector = (BigIntVector) result.batch().getVector(0);
                for (int i = 0; i < vector.getValueCount(); i++) {
                    sum += vector.get(i);
                }
                batches++;
            }
        }
        assertThat(sum).isEqualTo(9_999L * 10_000 / 2);
        assertThat(batches).isGreaterThan(1);
    }

    /** Parts whose length is no multiple of 8 do not begin at a byte of the bits that mark nulls. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1000, 1_000_000})
    void batchesHaveAtMostAsManyRowsAsTheFetchSize(int fetchSize) {
        QueryOptions options = QueryOptions.defaults().withFetchSize(fetchSize);
        String sql = "SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE 'n' || i END AS s, i % 2 = 0 AS b"
                + " FROM range(5000) t(i)";
        long next = 0;
        int largest = 0;
        try (QueryResult result = pool.query(sql, options)) {
            while (result.nextBatch()) {
                VectorSchemaRoot batch = result.batch();
                largest = Math.max(largest, batch.getRowCount());
                for (int i = 0; i < batch.getRowCount(); i++, next++) {
                    assertThat(((BigIntVector) batch.getVector(0)).get(i)).isEqualTo(next);
                    assertThat(batch.getVector(1).isNull(i)).isEqualTo(next % 3 == 0);
                    assertThat(((BitVector) batch.getVector(2)).get(i)).isEqualTo(next % 2 == 0 ? 1 : 0);
                }
            }
        }
        assertThat(next).isEqualTo(5_000);
        assertThat(largest).isBetween(1, Math.min(fetchSize, 5_000));
        assertThat(pool.query(sql, options).list(row -> row.getLong(0)))
                .hasSize(5_000)
                .endsWith(4_999L);
    }

    @Test
    void aResultWithAFetchSizeMayBeClosedWithinABatch() {
        QueryOptions options = QueryOptions.defaults().withFetchSize(10);
        try (SessionHandle session = pool.acquireSession()) {
            QueryResult result = session.query("SELECT i FROM range(10000) t(i)", options);
            assertThat(result.nextBatch()).isTrue();
            assertThat(result.batch().getRowCount()).isEqualTo(10);
            result.close();
            assertThat(TestPool.number(session.query("SELECT 2"))).isEqualTo(2);
        }
        assertThatThrownBy(() -> options.withFetchSize(-1)).hasMessageStartingWith("fetchSize is -1; allowed: 0 ");
    }

    /** The second part of a batch is cut within a byte of the bits that mark nulls, so it needs memory of its own. */
    @Test
    void aBatchThatCannotBeCutForLackOfMemoryCostsNeitherConnectionNorMemory() {
        QueryOptions options = QueryOptions.defaults().withFetchSize(7);
        BufferAllocator memory = pool.pool().allocator();
        long limit = memory.getLimit();
        String sql = "SELECT i, 'n' || i AS s FROM range(100) t(i)";
        try (SessionHandle session = pool.acquireSession()) {
            for (QueryResult result : List.of(pool.query(sql, options), session.query(sql, options))) {
                assertThat(result.nextBatch()).isTrue();
                // Enough for the bits, not for the texts.
                memory.setLimit(memory.getAllocatedMemory() + 16);
                assertThatThrownBy(result::nextBatch)
                        .isInstanceOf(FlightSqlException.class)
                        .hasRootCauseInstanceOf(OutOfMemoryException.class);
                result.close();
                memory.setLimit(limit);
            }
            test.awaitMetric("pool.conn.in_use", 1);
            assertThat(TestPool.number(session.query("SELECT 2"))).isEqualTo(2);
        }
        test.awaitMetric("pool.conn.in_use", 0);
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }

    /** The rest of an unread result stays on the server, however large it is. */
    @Test
    void anUnreadResultTakesLittleMemory() {
        try (QueryResult result = pool.query("SELECT i, repeat('x', 1000) AS s FROM range(1000000) t(i)")) {
            assertThat(result.nextBatch()).isTrue();
            int rowsInBatch = result.batch().getRowCount();
            await().during(Duration.ofMillis(500))
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> pool.pool().allocator().getAllocatedMemory() < 10L * rowsInBatch * 1_100);
        }
    }

    @Test
    void rowsBecomeRecordsAndBeans() {
        String sql = "SELECT 'Bern' AS name, 134000 AS people, DATE '1191-01-01' AS since, 7 AS unused";
        assertThat(pool.query(sql).list(City.class))
                .containsExactly(new City("Bern", 134_000, LocalDate.of(1191, 1, 1)));
        CityBean bean =
                pool.query("SELECT 'Bern' AS name, 5::BIGINT AS people_count").single(row -> row.as(CityBean.class));
        assertThat(bean.name).isEqualTo("Bern");
        assertThat(bean.peopleCount).isEqualTo(5);
        try (Stream<City> cities = pool.query(sql).stream(City.class)) {
            assertThat(cities.map(City::name)).containsExactly("Bern");
        }
    }

    @Test
    void aMapperMayReturnNull() {
        String sql = "SELECT x FROM (VALUES ('a'), (NULL), ('c')) t(x)";
        try (Stream<String> values = pool.query(sql).stream(row -> row.getString(0))) {
            assertThat(values.toList()).containsExactly("a", null, "c");
        }
        assertThat(pool.query(sql).list(row -> row.getString(0))).containsExactly("a", null, "c");
    }

    @Test
    void aMissingColumnIsNamed() {
        assertThatThrownBy(() -> pool.query("SELECT 1 AS name").list(City.class))
                .isInstanceOf(FlightSqlException.class)
                .hasMessage("City.people has no column; there are [name]");
        assertThat(test.metric("pool.handles.open")).isZero();
    }

    @Test
    void aNumberThatDoesNotFitIsRefused() {
        assertThatThrownBy(
                        () -> pool.query("SELECT 3000000000::BIGINT AS x").single(row -> row.get("x", Integer.class)))
                .isInstanceOf(FlightSqlException.class)
                .hasMessage("column x is a Long and cannot be a Integer");
    }

    @Test
    void theLargestUnsignedNumberIsNotNegative() {
        BigInteger largest = new BigInteger("18446744073709551615");
        String sql = "SELECT 18446744073709551615::UBIGINT AS x, 7::UBIGINT AS y";
        assertThat(pool.query(sql).<Object>single(row -> row.get("x"))).isEqualTo(largest);
        assertThat(pool.query(sql).<Long>single(row -> row.getLong("y"))).isEqualTo(7);
        assertThatThrownBy(() -> pool.query(sql).single(row -> row.getLong("x")))
                .hasMessage("column x is a BigInteger and cannot be a Long");
    }

    @Test
    void plainValuesGoToTheServerAndBack() {
        List<Object> values = Arrays.asList(
                true,
                7,
                8L,
                1.5,
                2.5f,
                new BigDecimal("12.340"),
                "text",
                LocalDate.of(2026, 11, 17),
                LocalTime.of(1, 2, 3),
                LocalDateTime.of(2026, 1, 2, 3, 4, 5, 678_000),
                Instant.parse("2026-01-02T03:04:05.000006Z"),
                UUID.fromString("00000000-0000-0000-0000-000000000001"),
                null);
        List<Object> back = pool.query(
                        "SELECT ?::BOOLEAN, ?::INTEGER, ?::BIGINT, ?::DOUBLE, ?::FLOAT, ?::DECIMAL(18,3), ?::VARCHAR,"
                                + " ?::DATE, ?::TIME, ?::TIMESTAMP, ?::VARCHAR IS NOT NULL, ?::UUID, ?::INTEGER",
                        values)
                .single(row -> {
                    List<Object> all = new ArrayList<>();
                    for (int i = 0; i < row.size(); i++) {
                        all.add(row.get(i));
                    }
                    return all;
                });
        List<Object> expected = new ArrayList<>(values);
        expected.set(10, true);
        expected.set(11, "00000000-0000-0000-0000-000000000001");
        back.set(11, String.valueOf(back.get(11)));
        assertThat(back.subList(0, 11)).isEqualTo(expected.subList(0, 11));
        assertThat(back.get(12)).isNull();
    }

    @Test
    void listsAndStructuresBecomeCollections() {
        List<Object> values = pool.query("SELECT ['a', 'b'] AS l, {'x': 1, 'y': 'z'} AS s")
                .single(row -> List.of(row.get("l"), row.get("s")));
        assertThat(values.toString()).isEqualTo("[[a, b], {x=1, y=z}]");
    }

    @Test
    void aParameterOfAnUnknownTypeIsRefusedBeforeAConnectionIsAcquired() {
        assertThatThrownBy(() -> pool.query("SELECT ?", List.of(new Object())))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("parameter $1 is java.lang.Object; allowed: null, Boolean");
        assertThat(test.metric("pool.acquire.count")).isZero();
    }

    @Test
    void anArrowBatchIsInsertedAndStaysTheCallers() {
        pool.update("CREATE OR REPLACE TABLE batch_test (x BIGINT)");
        try (RootAllocator own = new RootAllocator();
                BigIntVector x = new BigIntVector("x", own)) {
            for (int i = 0; i < 100; i++) {
                x.setSafe(i, i);
            }
            x.setValueCount(100);
            VectorSchemaRoot batch = VectorSchemaRoot.of(x);
            assertThat(pool.update("INSERT INTO batch_test VALUES (?)", batch).rows())
                    .isEqualTo(100);
            assertThat(pool.update("INSERT INTO batch_test VALUES (?)", batch).rows())
                    .isEqualTo(100);
            assertThat(x.get(99)).isEqualTo(99);
            x.setValueCount(1);
            batch.setRowCount(1);
            long equal = pool.query("SELECT count(*) FROM batch_test WHERE x = ?", batch)
                    .single(row -> row.getLong(0));
            assertThat(equal).isEqualTo(2);
        }
        assertThat(test.number("SELECT sum(x)::BIGINT FROM batch_test")).isEqualTo(9_900);
    }

    @Test
    void anEmptyResultHasItsColumns() {
        try (QueryResult result = pool.query("SELECT 1 AS x WHERE false")) {
            assertThat(result.schema().findField("x")).isNotNull();
            assertThat(result.nextRow()).isNull();
        }
    }

    @Test
    void executeReturnsTheResultOfAnyStatement() {
        pool.update("CREATE OR REPLACE TABLE executed (x BIGINT)");
        assertThat(pool.execute("INSERT INTO executed VALUES (1), (2) RETURNING x")
                        .list(row -> row.getLong(0)))
                .containsExactly(1L, 2L);
    }

    @Test
    void anSqlErrorCostsNoConnection() {
        test.number("SELECT 1");
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> pool.query("SELECT * FROM no_such_table"))
                    .isInstanceOfSatisfying(FlightSqlException.class, e -> {
                        assertThat(e.kind()).isEqualTo(FlightSqlException.Kind.SQL);
                        assertThat(e.status()).isEqualTo(FlightStatusCode.INTERNAL);
                    })
                    .hasMessageStartingWith("test: duckdb error: ")
                    .hasMessageContaining("no_such_table");
            assertThatThrownBy(() -> pool.update("INSERT INTO no_such_table VALUES (1)"))
                    .isInstanceOf(FlightSqlException.class);
            assertThatThrownBy(() -> pool.query("SELECT ? FROM no_such_table", List.of(1)))
                    .isInstanceOf(FlightSqlException.class);
        }
        assertThatThrownBy(
                        () -> pool.query("SELECT error('later') FROM range(3)").list(row -> row.get(0)))
                .hasMessageContaining("later");
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }

    @Test
    void aFailedStatementWithParametersIsClosedOnTheServer() {
        server.log().clear();
        List<ThrowingCallable> ways = List.of(
                () -> pool.query("SELECT error(?::VARCHAR)", List.of("bad")),
                () -> pool.update("SELECT error(?::VARCHAR)", List.of("bad")),
                () -> {
                    try (SessionHandle session = pool.acquireSession()) {
                        session.update("SELECT error(?::VARCHAR)", List.of("bad"), QueryOptions.defaults());
                    }
                });
        for (ThrowingCallable way : ways) {
            assertThatThrownBy(way).hasMessageContaining("bad");
        }
        test.awaitMetric("pool.conn.in_use", 0);
        assertThat(server.log().count("action CreatePreparedStatement")).isEqualTo(3);
        assertThat(server.log().count("action ClosePreparedStatement")).isEqualTo(3);
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }

    @Test
    void anInterruptDoesNotLoseABatchThatIsThere() {
        try (QueryResult result = pool.query("SELECT 7")) {
            Thread.currentThread().interrupt();
            Row row = result.nextRow();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(row).isNotNull();
            assertThat(row.getLong(0)).isEqualTo(7);
        }
    }

    @Test
    void anOpenResultHoldsItsConnection() throws Exception {
        TestPool one =
                TestPool.of(server, config -> config.minIdle(1).maxSize(1).acquireTimeout(Duration.ofMillis(50)));
        try (one) {
            assertThat(one.pool.awaitReady(1, Duration.ofSeconds(20))).isTrue();
            QueryResult result = one.pool.query("SELECT i FROM range(10000) t(i)");
            assertThatThrownBy(() -> one.pool.query("SELECT 1"))
                    .isInstanceOf(NoConnectionException.class)
                    .hasMessageContaining("test: no connection within")
                    .hasMessageContaining("In use 1 of 1");
            result.list(row -> row.getLong(0));
            assertThat(one.number("SELECT 2")).isEqualTo(2);
            assertThat(one.metric("pool.conn.created")).isEqualTo(1);
            assertThat(one.metric("pool.acquire.timeout")).isEqualTo(1);
        }
    }

    @Test
    void aStatementThatChangesTheSessionIsNotPassedOn() {
        test.number("SELECT 1");
        pool.update("CREATE TEMP TABLE left_behind AS SELECT 1");
        assertThatThrownBy(() -> pool.query("SELECT * FROM left_behind")).isInstanceOf(FlightSqlException.class);
        test.awaitMetric("pool.conn.dropped.evicted", 1);
    }

    @Test
    void aRawConnectionIsArrowsClient() {
        try (PooledConnection connection = pool.acquire()) {
            assertThat(connection.client().execute("SELECT 1").getEndpoints()).hasSize(1);
            assertThat(connection.isLost()).isFalse();
        }
        pool.acquire().discard();
        test.awaitMetric("pool.conn.dropped.evicted", 1);
    }
}
