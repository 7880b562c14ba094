package dev.reservoir.remote;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The health of one server at one instant.
 *
 * @param reason why it is unhealthy, or why the last check failed; null if neither applies
 * @param since when it became healthy or unhealthy
 * @param lastChecked when the last check ended; null if there was none
 * @param failuresInARow failed checks since the last good one
 * @param successesInARow good checks since the last failed one
 * @param checks good checks in all
 * @param failedChecks failed checks in all
 */
public record ServerHealth(
        String serverName,
        boolean healthy,
        @Nullable String reason,
        Instant since,
        @Nullable Instant lastChecked,
        int failuresInARow,
        int successesInARow,
        long checks,
        long failedChecks) {}
