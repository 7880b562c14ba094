package dev.reservoir.bench.flight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reservoir.flightsql.server.FlightSqlServer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every way to send queries reaches the server, over as many connections as it says. */
class FlightContenderTest {

    @Test
    void everyContenderSendsTheQueryOnce() throws Exception {
        try (FlightSqlServer server = FlightSqlServer.builder().start()) {
            List<FlightContender> contenders = FlightContender.all(server.endpoint(), 2);
            assertThat(contenders)
                    .map(FlightContender::title)
                    .containsExactly("Reservoir", FlightContender.ONE_CLIENT, FlightContender.RAW_CLIENTS, "HikariCP");
            for (FlightContender contender : contenders) {
                server.log().clear();
                contender.query(FlightServerProcess.query(1));
                assertThat(server.log().count("wait 1 ms"))
                        .as(contender.title())
                        .isEqualTo(1);
                contender.close();
            }
        }
    }
}
