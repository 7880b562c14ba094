package dev.reservoir.dsql;

import dev.reservoir.dsql.tx.Retries;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Retries whose pauses take no time, but are remembered, and pass on a clock of their own. */
public final class VirtualRetries {
    public final List<Duration> slept = new ArrayList<>();
    public long nanos = 1_000;

    /** What {@code nextDouble} answers: one half means no jitter. */
    public double chance = 0.5;

    public Runnable whileSleeping = () -> {};

    public Retries.Builder builder() {
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

    public static SQLException conflict() {
        return new SQLException("change conflicts with another transaction (OC000)", "40001");
    }

    public static SQLException unavailable() {
        return new SQLException("server unavailable", "XX000");
    }

    public static SQLException lost() {
        return new SQLException("An I/O error occurred while sending to the backend.", "08006");
    }
}
