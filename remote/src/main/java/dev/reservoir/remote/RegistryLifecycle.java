package dev.reservoir.remote;

import dev.reservoir.core.time.SystemTime;
import dev.reservoir.remote.pool.ServerPool;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at the pools of a registry every second until its end, and waits for the end of pools. */
final class RegistryLifecycle {
    private static final Logger log = LoggerFactory.getLogger(RemoteConnectionPoolRegistry.class);

    /** How often pools are looked at. A pool that nobody uses is removed about that late. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How much longer than its drain time a close may take before its caller goes on. */
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(15);

    /** Longest wait. Nanoseconds in a long count to 292 years. */
    private static final Duration WAIT_MAX = Duration.ofDays(36_500);

    private final String registry;
    private final SystemTime time;
    private final Collection<ServerPool> pools;
    private final AcquireRoutes routes;
    private volatile boolean closed;

    RegistryLifecycle(String registry, SystemTime time, Collection<ServerPool> pools, AcquireRoutes routes) {
        this.registry = registry;
        this.time = time;
        this.pools = pools;
        this.routes = routes;
        lookLater();
    }

    boolean isClosed() {
        return closed;
    }

    /** From now on, the registry is closed. The looks end. */
    void close() {
        closed = true;
    }

    private void lookLater() {
        var unused = time.schedule(LOOK_NANOS, this::look);
    }

    private void look() {
        try {
            pools.forEach(ServerPool::look);
            routes.forgetRetired();
        } catch (RuntimeException e) {
            log.error("bug: the regular look at the pools failed, it goes on", e);
        } finally {
            if (!closed) {
                lookLater();
            }
        }
    }

    /** Makes a time that a caller gave fit into nanoseconds: not negative, and 100 years at most. */
    static Duration bounded(Duration time) {
        if (time.isNegative()) {
            return Duration.ZERO;
        }
        return time.compareTo(WAIT_MAX) < 0 ? time : WAIT_MAX;
    }

    /** Closes pools and waits for their end, a little longer than the drain time at most. */
    void closeAndAwait(List<ServerPool> ending, Duration drain) {
        Duration bounded = bounded(drain);
        CompletableFuture<?>[] ends = ending.stream()
                .map(pool -> pool.close(bounded).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(ends).get(bounded.plus(CLOSE_GRACE).toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            log.warn("Remote: a close takes too long and goes on in the background  registry={}", registry);
        } catch (ExecutionException e) {
            log.warn("Remote: a close failed  registry={}", registry, e);
        }
    }
}
