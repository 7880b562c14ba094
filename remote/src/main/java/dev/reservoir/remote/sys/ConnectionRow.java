package dev.reservoir.remote.sys;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code sys.remote_connections}: one open connection.
 *
 * @param state {@code active} or {@code idle}
 * @param draining whether it closes on release
 * @param lastUsed null if it was never used
 */
record ConnectionRow(
        long id,
        String serverName,
        String localUser,
        String remoteUser,
        String state,
        boolean draining,
        Instant createdAt,
        @Nullable Instant lastUsed,
        long useCount) {}
