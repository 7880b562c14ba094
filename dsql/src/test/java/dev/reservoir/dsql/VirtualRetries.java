package dev.reservoir.dsql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Retries whose pauses take no time, but are remembered, and pass on a clock of their own. */
final class VirtualRetries {
    final List<Duration> slept = new ArrayList<>();
    long nanos = 1_000;

    /** What {@code nextDouble} answers: one half means no jitter. */
    double chance = 0.5;

    Runnable whileSleeping = () -> {};

    Retries.Builder builder() {
        return Retries.builder()
                .clock(() -> nanos)
                .sleeper(pause -> {
                    slept.add(Duration.ofNanos(pause));
                    whileSleeping.run();
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                    nanos += pause;
                })
                .random(() -> (long) (chance * (1L << 53)) << 11);
    }

    static SQLException conflict() {
        return new SQLException("change conflicts with another transaction (OC000)", "40001");
    }

    static SQLException unavailable() {
        return new SQLException("server unavailable", "XX000");
    }

    static SQLException lost() {
        return new SQLException("An I/O error occurred while sending to the backend.", "08006");
    }
}
