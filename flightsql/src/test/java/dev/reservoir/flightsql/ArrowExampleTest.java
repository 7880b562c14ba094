package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.flightsql.FlightSqlException.Kind;
import dev.reservoir.flightsql.call.ServerCancel.Way;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.FlightStatusCode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Arrow's example server, on Derby: no sessions, no transactions, no cancel. */
class ArrowExampleTest {
    private static OtherServer server;

    private final TestPool test = TestPool.at(server.endpoint(), config -> config.healthcheckSql("VALUES 1"));
    private final FlightSqlPool pool = test.pool;

    @BeforeAll
    static void start() {
        server = new OtherServer("arrow-example", "org.apache.arrow.flight.sql.example.FlightSqlExample");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void begin() {
        pool.update("CREATE TABLE t (x BIGINT, s VARCHAR(20))");
        assertThat(pool.update("INSERT INTO t VALUES (1, 'a'), (2, 'b')").rows())
                .isEqualTo(2);
    }

    @AfterEach
    void close() {
        pool.update("DROP TABLE t");
        test.close();
    }

    @Test
    void queriesParametersAndUpdatesWork() {
        assertThat(pool.update("INSERT INTO t VALUES (?, ?)", List.of(3L, "c")).rows())
                .isEqualTo(1);
        assertThat(pool.query("SELECT s FROM t WHERE x > ?", List.of(1L)).list(row -> row.getString("S")))
                .containsExactly("b", "c");
        try (SessionHandle session = pool.acquireSession();
                PreparedQuery select = session.prepareQuery("SELECT s FROM t WHERE x = ?")) {
            assertThat(select.parameterSchema().getFields()).hasSize(1);
            assertThat(select.query(2L).list(row -> row.getString(0))).containsExactly("b");
            assertThat(select.query(3L).list(row -> row.getString(0))).containsExactly("c");
        }
        test.awaitMetric("pool.conn.in_use", 0);
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }

    @Test
    void rowsAreShownAsAResultSet() throws SQLException {
        try (ResultSet rows = pool.query("SELECT x, s FROM t ORDER BY x").asResultSet()) {
            assertThat(rows.getMetaData().getColumnType(2)).isEqualTo(Types.VARCHAR);
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt("x")).isEqualTo(1);
        }
    }

    @Test
    void catalogMetadataIsListed() {
        assertThat(pool.extras().schemas(null, "AP%").list(row -> row.getString("db_schema_name")))
                .containsExactly("APP");
        assertThat(pool.extras()
                        .tables(null, null, "T", List.of("TABLE"), true)
                        .list(row -> row.getString("table_name")))
                .containsExactly("T");
        assertThat(pool.extras().tableTypes().list(row -> row.getString(0))).contains("VIEW");
        assertThat(pool.extras().typeInfo().list(row -> row.getString(0))).contains("BIGINT");
        assertThat(pool.extras().primaryKeys(null, null, "T").list(row -> row.get(0)))
                .isEmpty();
        assertThatThrownBy(() -> pool.extras().substrait(new byte[] {1}, "0.1", QueryOptions.defaults()))
                .hasMessage("test: the server does not support this request (UNIMPLEMENTED)");
    }

    @Test
    void errorsCostNoConnection() {
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> pool.query("SELECT * FROM nowhere"))
                    .isInstanceOfSatisfying(
                            FlightSqlException.class, e -> assertThat(e.kind()).isEqualTo(Kind.SQL))
                    .hasMessage("test: the server gave no reason (INTERNAL)");
            assertThatThrownBy(() -> pool.update("INSERT INTO nowhere VALUES (1)"))
                    .hasMessageContaining("'NOWHERE' does not exist");
        }
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }

    @Test
    void transactionsAreRefusedClearlyAndCostNoConnection() {
        try (SessionHandle session = pool.acquireSession()) {
            assertThatThrownBy(session::beginTransaction)
                    .isInstanceOfSatisfying(
                            FlightSqlException.class,
                            e -> assertThat(e.status()).isEqualTo(FlightStatusCode.UNIMPLEMENTED))
                    .hasMessage("test: the server does not support this request (UNIMPLEMENTED)");
            assertThat(session.isInTransaction()).isFalse();
            assertThat(TestPool.number(session.query("SELECT COUNT(*) FROM t"))).isEqualTo(2);
        }
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }

    /** The join has too many rows to end by itself while the test runs. */
    @Test
    void aStatementThatCannotBeStoppedCostsItsConnectionAndTheServerIsAskedOnce() {
        String slow = "SELECT COUNT(*) FROM SYS.SYSCOLUMNS a, SYS.SYSCOLUMNS b, SYS.SYSCOLUMNS c, SYS.SYSCOLUMNS d,"
                + " SYS.SYSCOLUMNS e";
        // Long enough for the server to prepare the statement, before which there is nothing to stop.
        QueryOptions options = QueryOptions.defaults().withTimeout(Duration.ofSeconds(4));
        for (int i = 1; i <= 2; i++) {
            assertThatThrownBy(() -> pool.query(slow, options))
                    .isInstanceOfSatisfying(
                            FlightSqlException.class, e -> assertThat(e.kind()).isEqualTo(Kind.TIMEOUT));
            test.awaitMetric("pool.conn.dropped", i);
            assertThat(pool.pool().serverCancel().learned())
                    .isEqualTo(
                            Map.of(Way.CANCEL_FLIGHT_INFO, false, Way.CANCEL_QUERY, false, Way.CANCEL_TICKET, false));
        }
        assertThat(test.metric("pool.cancel.confirmed")).isZero();
        assertThat(test.number("SELECT COUNT(*) FROM t")).isEqualTo(2);
    }
}
