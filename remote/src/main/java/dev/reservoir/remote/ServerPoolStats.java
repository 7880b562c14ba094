package dev.reservoir.remote;

import dev.reservoir.remote.model.RemoteDatabaseType;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One server, taken while no place can pass from one of its users to another. So {@code totalConnections ==
 * activeConnections + idleConnections}, each number is the sum of the user pools and of the pools that drain, and the
 * total is at most {@code maxConnections}, unless the maximum was lowered or temporary connections are allowed. The
 * connection of the health check is not part of any number.
 *
 * @param unhealthyReason why it is unhealthy; null if it is healthy
 * @param totalUserPools pools of users, without those that drain
 * @param idleConnections open connections that nobody uses, also those that are being validated
 * @param openingConnections connects under way, not part of the total
 * @param drainingConnections the part of the total that belongs to pools of an earlier definition or mapping
 * @param pendingRequests callers that wait
 * @param acquireTimeouts acquires that ended without a connection
 * @param connectionErrors failed connects
 * @param queriesExecuted statements that went through {@link PooledRemoteConnection}
 * @param avgAcquireTimeMs mean time of acquires; those that found a ready connection are sampled
 * @param avgQueryTimeMs mean time of the statements
 * @param lastActivity when a user last used the server, exact to about ten seconds; null if nobody has
 * @param users the user pools, in the order of their names
 */
public record ServerPoolStats(
        String serverName,
        RemoteDatabaseType dbType,
        boolean healthy,
        @Nullable String unhealthyReason,
        int totalUserPools,
        int totalConnections,
        int activeConnections,
        int idleConnections,
        int openingConnections,
        int drainingConnections,
        int maxConnections,
        int pendingRequests,
        long totalAcquires,
        long totalReleases,
        long acquireTimeouts,
        long connectionErrors,
        long queriesExecuted,
        double avgAcquireTimeMs,
        double avgQueryTimeMs,
        Instant createdAt,
        @Nullable Instant lastActivity,
        List<UserPoolStats> users) {}
