package dev.reservoir.remote;

/**
 * The pool of one mapping, at one instant. {@code totalConnections == activeConnections + idleConnections}.
 *
 * @param localUser the local user of the mapping, which is {@code PUBLIC} for all users without a mapping of their own
 * @param idleConnections open connections that nobody uses, also those that are being validated
 * @param openingConnections connects under way, not part of the total
 * @param waitingRequests callers that wait
 * @param connectionErrors failed connects
 * @param queriesExecuted statements that went through {@link PooledRemoteConnection}
 * @param queryNanos total time of these statements
 * @param avgConnectionLifetimeSec mean age at which connections were closed; 0 if none was
 * @param avgAcquireWaitMs mean time of acquires; those that found a ready connection are sampled
 */
public record UserPoolStats(
        String serverName,
        String localUser,
        String remoteUser,
        int totalConnections,
        int activeConnections,
        int idleConnections,
        int openingConnections,
        int waitingRequests,
        long totalAcquires,
        long totalReleases,
        long connectionsCreated,
        long connectionsDestroyed,
        long acquireTimeouts,
        long connectionErrors,
        long validationFailures,
        long queriesExecuted,
        long queryNanos,
        double avgConnectionLifetimeSec,
        double avgAcquireWaitMs) {}
