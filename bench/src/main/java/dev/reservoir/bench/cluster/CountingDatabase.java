package dev.reservoir.bench.cluster;

import dev.reservoir.bench.rationed.RationLimits;
import dev.reservoir.bench.rationed.RationedDatabase;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Time;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A database that rations connections by rate, behind a network. A connect takes 30 ms. It reaches the database between
 * 5 and 25 ms after it began, at a random time, as on a real network. Never blocks. Safe for use by several threads.
 */
final class CountingDatabase {
    private static final long CONNECT_NANOS = 30_000_000L;
    private static final long ARRIVAL_MIN_NANOS = 5_000_000L;
    private static final long ARRIVAL_MAX_NANOS = 25_000_000L;

    private final Time network;
    final RationedDatabase rationed;

    // Guarded by itself.
    private final SplittableRandom random = new SplittableRandom(7);

    /**
     * A database with a full bucket.
     *
     * @param network the time that delays connects
     */
    CountingDatabase(Time network, int ratePerSecond, int burst) {
        this.network = network;
        this.rationed =
                RationedDatabase.withoutDelay(RationLimits.generous().withRate(ratePerSecond, burst), network::nanos);
    }

    CompletionStage<Connection> connect(String client) {
        CompletableFuture<Connection> answer = new CompletableFuture<>();
        long arrivalNanos;
        synchronized (random) {
            arrivalNanos = random.nextLong(ARRIVAL_MIN_NANOS, ARRIVAL_MAX_NANOS + 1);
        }
        network.schedule(arrivalNanos, () -> {
            Runnable reply = admit(client, answer);
            network.schedule(CONNECT_NANOS - arrivalNanos, reply);
        });
        return answer;
    }

    private Runnable admit(String client, CompletableFuture<Connection> answer) {
        try {
            Connection connection = rationed.connect(client);
            return () -> answer.complete(connection);
        } catch (SQLException e) {
            return () -> answer.completeExceptionally(
                    new OpenFailedException(OpenFailureReason.SERVER_RATE, "rate exceeded", e));
        }
    }

    void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException("bug: this connection never fails to close", e);
        }
    }

    /** The connector for a reservoir of this client. */
    Connector<Connection> connector(String client) {
        return new Connector<>() {
            @Override
            public CompletionStage<Connection> open(long timeoutNanos) {
                return connect(client);
            }

            @Override
            public CompletionStage<Boolean> validate(Connection connection, long timeoutNanos) {
                return CompletableFuture.completedFuture(true);
            }

            @Override
            public CompletionStage<Void> close(Connection connection, DiscardReason reason) {
                CountingDatabase.this.close(connection);
                return CompletableFuture.completedFuture(null);
            }
        };
    }
}
