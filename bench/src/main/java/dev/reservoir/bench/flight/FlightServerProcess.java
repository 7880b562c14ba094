package dev.reservoir.bench.flight;

import dev.reservoir.bench.Jvm;
import dev.reservoir.flightsql.server.FlightSqlServer;
import dev.reservoir.flightsql.server.SessionRules;
import java.io.IOException;
import java.util.List;

/**
 * A Flight SQL server in a JVM of its own, so that its work does not disturb the measured process. A statement waits on
 * the server for as long as a comment in it says, so that the processors are not the limit.
 */
final class FlightServerProcess implements AutoCloseable {
    /** Arrow reads and writes memory outside the heap. */
    static final String ARROW = "--add-opens=java.base/java.nio=ALL-UNNAMED";

    private final Jvm jvm;
    private final String endpoint;

    private FlightServerProcess(Jvm jvm, String endpoint) {
        this.jvm = jvm;
        this.endpoint = endpoint;
    }

    /** Starts a server. Blocks until it listens. */
    static FlightServerProcess start() throws IOException {
        Jvm jvm = Jvm.start(FlightServerProcess.class, List.of("-Xmx1g", ARROW), List.of());
        return new FlightServerProcess(jvm, jvm.expectLine("the Flight SQL server"));
    }

    /** A query that takes this long on the server. */
    static String query(int millis) {
        return "SELECT 1 AS one /* wait " + millis + " ms */";
    }

    String endpoint() {
        return endpoint;
    }

    @Override
    public void close() throws IOException {
        jvm.close();
    }

    public static void main(String[] args) throws IOException {
        Jvm.silenceLogs();
        SessionRules rules = SessionRules.cooperative();
        try (FlightSqlServer server = FlightSqlServer.builder().rules(rules).start()) {
            System.out.println(server.endpoint());
            System.out.flush();
            Jvm.awaitEndOfInput();
        }
        System.exit(0);
    }
}
