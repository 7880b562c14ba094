package dev.reservoir.flightsql.connect;

import dev.reservoir.core.util.Causes;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.CallOptions;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;

/** Runs the statement that shows that a connection and its session work. */
public final class HealthCheck {
    private final String sql;

    public HealthCheck(String sql) {
        this.sql = sql;
    }

    /** Runs the statement and reads its result. Blocks until the timeout at most. Throws what the call throws. */
    @SuppressWarnings("try") // a stream's close() may throw anything
    public void run(FlightConnection connection, long timeoutNanos) throws Exception {
        long deadline = System.nanoTime() + timeoutNanos;
        connection.retainMemory();
        try {
            FlightInfo info = connection.client().execute(sql, until(deadline));
            for (FlightEndpoint endpoint : info.getEndpoints()) {
                try (FlightStream stream = connection.client().getStream(endpoint.getTicket(), until(deadline))) {
                    boolean more = true;
                    while (more) {
                        more = stream.next();
                    }
                }
            }
        } finally {
            connection.releaseMemory();
        }
    }

    /** Whether the statement succeeds by the timeout. Blocks until then at most. */
    public boolean works(FlightConnection connection, long timeoutNanos) {
        if (connection.isLost()) {
            return false;
        }
        try {
            run(connection, timeoutNanos);
            return !connection.isLost();
        } catch (Exception e) {
            if (Causes.contain(e, InterruptedException.class)) {
                // Arrow clears the flag, and the caller must still see the interrupt.
                Thread.currentThread().interrupt();
            }
            return false;
        }
    }

    private static CallOption until(long deadlineNanos) {
        return CallOptions.timeout(Math.max(1, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
}
