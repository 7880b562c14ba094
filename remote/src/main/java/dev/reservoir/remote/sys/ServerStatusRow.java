package dev.reservoir.remote.sys;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code sys.remote_server_status}: the health of one server.
 *
 * @param reason why it is unhealthy, or why the last check failed
 * @param since when it became healthy or unhealthy
 * @param lastChecked null if it was never checked
 */
record ServerStatusRow(
        String serverName,
        String dbType,
        String host,
        int port,
        boolean healthy,
        @Nullable String reason,
        Instant since,
        @Nullable Instant lastChecked,
        int consecutiveFailures,
        int consecutiveSuccesses,
        long checksPassed,
        long checksFailed) {}
