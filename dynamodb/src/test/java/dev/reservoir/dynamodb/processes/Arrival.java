package dev.reservoir.dynamodb.processes;

/**
 * A connect as it came to the server.
 *
 * @param atMicros when the server accepted it, in microseconds since 1970
 * @param greeting what it said of itself
 */
record Arrival(long atMicros, Greeting greeting) {

    String process() {
        return greeting.process();
    }

    /** What it took from the permit to the server, of which no limiter knows. */
    long delayMicros() {
        return Math.max(0, atMicros - greeting.grantedMicros());
    }
}
