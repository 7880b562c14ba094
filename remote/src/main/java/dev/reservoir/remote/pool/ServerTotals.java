package dev.reservoir.remote.pool;

import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.UserPoolStats;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Adds up the user pools of a server, with what pools did that are gone. So totals never fall. */
final class ServerTotals {
    private final Instant createdAt = Instant.now();

    // What pools did that have ended. Guarded by the monitor.

    private long acquires;
    private long releases;
    private long timeouts;
    private long errors;
    private long queries;
    private long queryNanos;
    private long endedAttempts;

    /** Acquires that the server's pool refused before they reached the pool of a user. */
    private final LongAdder refused = new LongAdder();

    private long attemptsSeen;
    private volatile @Nullable Instant lastActivity;

    /**
     * Adds a pool that has ended.
     *
     * @param attempts how many checkouts of the pool were attempted
     */
    synchronized void add(UserPoolStats ended, long attempts) {
        endedAttempts += attempts;
        acquires += ended.totalAcquires();
        releases += ended.totalReleases();
        timeouts += ended.acquireTimeouts();
        errors += ended.connectionErrors();
        queries += ended.queriesExecuted();
        queryNanos += ended.queryNanos();
    }

    /** Counts an acquire that was refused before it reached the pool of a user. */
    void refused() {
        refused.increment();
    }

    /**
     * Notes whether anybody used the pools since the last call.
     *
     * @param attempts how many checkouts were attempted, without pools that have ended
     */
    synchronized void noteActivity(long attempts) {
        if (attempts + endedAttempts != attemptsSeen) {
            attemptsSeen = attempts + endedAttempts;
            lastActivity = Instant.now();
        }
    }

    @Nullable
    Instant lastActivity() {
        return lastActivity;
    }

    synchronized ServerPoolStats stats(
            ServerPool server, Map<String, UserPool> pools, Collection<UserPool> draining, int max) {
        List<UserPoolStats> users =
                new TreeMap<>(pools).values().stream().map(UserPool::stats).toList();
        List<UserPoolStats> old = draining.stream().map(UserPool::stats).toList();
        List<UserPoolStats> all = new ArrayList<>(users);
        all.addAll(old);
        int active = all.stream().mapToInt(UserPoolStats::activeConnections).sum();
        int idle = all.stream().mapToInt(UserPoolStats::idleConnections).sum();
        long executed =
                queries + all.stream().mapToLong(UserPoolStats::queriesExecuted).sum();
        long executedNanos =
                queryNanos + all.stream().mapToLong(UserPoolStats::queryNanos).sum();
        boolean healthy = server.isHealthy();
        return new ServerPoolStats(
                server.name(),
                server.definition().type(),
                healthy,
                healthy ? null : server.health().reason(),
                users.size(),
                active + idle,
                active,
                idle,
                all.stream().mapToInt(UserPoolStats::openingConnections).sum(),
                old.stream().mapToInt(UserPoolStats::totalConnections).sum(),
                max,
                all.stream().mapToInt(UserPoolStats::waitingRequests).sum(),
                acquires + all.stream().mapToLong(UserPoolStats::totalAcquires).sum(),
                releases + all.stream().mapToLong(UserPoolStats::totalReleases).sum(),
                timeouts
                        + refused.sum()
                        + all.stream().mapToLong(UserPoolStats::acquireTimeouts).sum(),
                errors + all.stream().mapToLong(UserPoolStats::connectionErrors).sum(),
                executed,
                meanAcquireMillis(users),
                executed == 0 ? 0 : executedNanos / 1e6 / executed,
                createdAt,
                lastActivity,
                users);
    }

    /** Weighs each pool by its acquires. */
    private static double meanAcquireMillis(List<UserPoolStats> users) {
        double sum = 0;
        long count = 0;
        for (UserPoolStats user : users) {
            sum += user.avgAcquireWaitMs() * user.totalAcquires();
            count += user.totalAcquires();
        }
        return count == 0 ? 0 : sum / count;
    }
}
