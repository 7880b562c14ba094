package dev.reservoir.bench.cluster;

import dev.reservoir.bench.rationed.TokenBucket;
import dev.reservoir.core.DiscardReason;
import dev.reservoir.core.OpenFailedException;
import dev.reservoir.core.OpenFailureReason;
import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Time;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A database that admits connections at a rate from a token bucket, refuses the others, and counts them by client. A
 * connect takes 30 ms. It reaches the bucket between 5 and 25 ms after it began, at a random time, as on a real
 * network. Never blocks. Safe for use by several threads.
 */
final class CountingDatabase {
    private static final long CONNECT_NANOS = 30_000_000L;
    private static final long ARRIVAL_MIN_NANOS = 5_000_000L;
    private static final long ARRIVAL_MAX_NANOS = 25_000_000L;

    private final Time network;

    /** Guards all fields below. Held only for arithmetic. */
    private final Object lock = new Object();

    private final SplittableRandom random = new SplittableRandom(7);
    private final TokenBucket bucket;
    private final Map<String, Client> clients = new HashMap<>();
    private long opened;
    private long refused;
    private int open;
    private int openMax;

    /** A connection. */
    record Link(String client) {}

    private static final class Client {
        private long opened;
        private int open;
    }

    /**
     * A database with a full bucket.
     *
     * @param network the time that delays connects
     */
    CountingDatabase(Time network, int ratePerSecond, int burst) {
        this.network = network;
        this.bucket = new TokenBucket(ratePerSecond, burst, network.nanos());
    }

    CompletionStage<Link> connect(String client) {
        CompletableFuture<Link> answer = new CompletableFuture<>();
        long arrives;
        synchronized (lock) {
            arrives = random.nextLong(ARRIVAL_MIN_NANOS, ARRIVAL_MAX_NANOS + 1);
        }
        network.schedule(arrives, () -> {
            boolean admitted = admit(client);
            network.schedule(CONNECT_NANOS - arrives, () -> {
                if (admitted) {
                    answer.complete(new Link(client));
                } else {
                    answer.completeExceptionally(
                            new OpenFailedException(OpenFailureReason.SERVER_RATE, "rate exceeded", null));
                }
            });
        });
        return answer;
    }

    private boolean admit(String client) {
        synchronized (lock) {
            if (!bucket.tryTake(network.nanos())) {
                refused++;
                return false;
            }
            Client its = clients.computeIfAbsent(client, unused -> new Client());
            its.opened++;
            its.open++;
            opened++;
            open++;
            openMax = Math.max(openMax, open);
            return true;
        }
    }

    void close(Link link) {
        synchronized (lock) {
            Client its = clients.get(link.client);
            if (its != null && its.open > 0) {
                its.open--;
                open--;
            }
        }
    }

    /** Removes a client that has ended, together with its connections. */
    void forget(String client) {
        synchronized (lock) {
            Client its = clients.remove(client);
            open -= its == null ? 0 : its.open;
        }
    }

    int open(String client) {
        synchronized (lock) {
            Client its = clients.get(client);
            return its == null ? 0 : its.open;
        }
    }

    long opened(String client) {
        synchronized (lock) {
            Client its = clients.get(client);
            return its == null ? 0 : its.opened;
        }
    }

    long opened() {
        synchronized (lock) {
            return opened;
        }
    }

    long refused() {
        synchronized (lock) {
            return refused;
        }
    }

    int openMax() {
        synchronized (lock) {
            return openMax;
        }
    }

    /** The connector for a reservoir of this client. */
    Connector<Link> connector(String client) {
        return new Connector<>() {
            @Override
            public CompletionStage<Link> open(long timeoutNanos) {
                return connect(client);
            }

            @Override
            public CompletionStage<Boolean> validate(Link connection, long timeoutNanos) {
                return CompletableFuture.completedFuture(true);
            }

            @Override
            public CompletionStage<Void> close(Link connection, DiscardReason reason) {
                CountingDatabase.this.close(connection);
                return CompletableFuture.completedFuture(null);
            }
        };
    }
}
