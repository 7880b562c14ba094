package dev.reservoir.dynamodb.processes;

import java.util.List;

/**
 * The first line on every connection.
 *
 * @param process who connects
 * @param grantedMicros when it was granted the permit for that, in microseconds since 1970
 * @param alone whether it went on without the store then
 */
record Greeting(String process, long grantedMicros, boolean alone) {

    String line() {
        return process + " " + grantedMicros + " " + alone + "\n";
    }

    static Greeting of(String line) {
        List<String> parts = List.of(line.strip().split(" "));
        return new Greeting(parts.get(0), Long.parseLong(parts.get(1)), Boolean.parseBoolean(parts.get(2)));
    }
}
