package dev.reservoir.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reservoir.flightsql.FlightSqlExtras.IngestMode;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.junit.FlightSqlServerExtension;
import java.util.List;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests that are not SQL. */
class ExtrasTest {
    @RegisterExtension
    static final FlightSqlServerExtension flight = new FlightSqlServerExtension();

    private final FlightSqlServer server = flight.server();
    private final TestPool test = TestPool.of(server);
    private final FlightSqlExtras extras = test.pool.extras();

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void catalogMetadataIsListed() {
        server.execute("CREATE OR REPLACE TABLE listed (x BIGINT)");
        assertThat(extras.catalogs().list(row -> row.getString(0))).contains("memory");
        assertThat(extras.schemas("memory", "ma%").list(row -> row.getString("db_schema_name")))
                .containsExactly("main");
        assertThat(extras.tables(null, null, "list%", List.of("BASE TABLE"), false)
                        .list(row -> row.getString("table_name")))
                .containsExactly("listed");
        assertThat(extras.tableTypes().list(row -> row.getString(0))).contains("VIEW");
    }

    @Test
    void aBatchIsIngested() {
        server.execute("CREATE OR REPLACE TABLE ingested (x BIGINT)");
        try (RootAllocator own = new RootAllocator();
                BigIntVector x = new BigIntVector("x", own)) {
            for (int i = 0; i < 50; i++) {
                x.setSafe(i, i);
            }
            x.setValueCount(50);
            VectorSchemaRoot batch = VectorSchemaRoot.of(x);
            assertThat(extras.ingest("ingested", batch, IngestMode.APPEND, QueryOptions.defaults())
                            .rows())
                    .isEqualTo(50);
        }
        assertThat(server.number("SELECT sum(x) FROM ingested")).isEqualTo(1_225);
    }

    @Test
    void aServerWithoutSubstraitSaysSoAndKeepsTheConnection() {
        test.number("SELECT 1");
        assertThatThrownBy(() -> extras.substrait(new byte[] {1}, "0.1", QueryOptions.defaults()))
                .isInstanceOfSatisfying(
                        FlightSqlException.class,
                        e -> assertThat(e.status()).isEqualTo(FlightStatusCode.UNIMPLEMENTED));
        assertThat(test.metric("pool.conn.dropped")).isZero();
    }
}
