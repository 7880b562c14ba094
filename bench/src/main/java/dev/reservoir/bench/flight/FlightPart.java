package dev.reservoir.bench.flight;

import dev.reservoir.bench.Arguments;
import dev.reservoir.bench.report.Results;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Flight SQL beside raw clients and the JDBC driver. Each case has a server of its own in another JVM. */
public final class FlightPart {
    private static final Map<String, Case> CASES = new TreeMap<>(Map.of(
            "throughput", FlightThroughput::run,
            "overhead", FlightOverhead::run,
            "stream", FlightStreaming::run,
            "async", FlightAsync::run));

    private FlightPart() {}

    /** One case, on a server that has just started. */
    private interface Case {
        void run(String endpoint, int seconds, Results results) throws Exception;
    }

    /** Takes {@code --case} and {@code --seconds}, the time of each measurement. */
    public static void run(Arguments arguments, Results results) throws Exception {
        List<String> names = Arguments.choose("case", arguments.text("case", "all"), CASES.keySet());
        int seconds = arguments.number("seconds", 3);
        for (String name : names) {
            Case chosen = CASES.get(name);
            if (chosen != null) {
                try (FlightServerProcess server = FlightServerProcess.start()) {
                    chosen.run(server.endpoint(), seconds, results);
                }
            }
        }
    }
}
