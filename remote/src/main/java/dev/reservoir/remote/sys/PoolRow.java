package dev.reservoir.remote.sys;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code sys.remote_pool_stats}: the pools of one server.
 *
 * @param total the connections that are open: active and idle ones
 * @param opening connects under way, which are not part of the total
 * @param draining the part of the total that closes on release
 */
record PoolRow(
        String serverName,
        String dbType,
        boolean healthy,
        @Nullable String unhealthyReason,
        int userPools,
        int total,
        int active,
        int idle,
        int opening,
        int draining,
        int maxConnections,
        int waiting,
        long acquires,
        long releases,
        long timeouts,
        long connectionErrors,
        long queriesExecuted,
        double avgAcquireMs,
        double avgQueryMs,
        Instant createdAt,
        @Nullable Instant lastActivity) {}
