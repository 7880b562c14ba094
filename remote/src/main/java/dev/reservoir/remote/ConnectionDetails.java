package dev.reservoir.remote;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One open connection of the registry.
 *
 * @param id identifies it in this process, for {@link RemoteConnectionPoolRegistry#resetConnection}
 * @param draining whether it belongs to a pool of an earlier definition or mapping, and so closes on release
 * @param lastAcquiredAt when it was last acquired; null if it never was
 * @param uses how many acquires it has served
 */
public record ConnectionDetails(
        long id,
        String serverName,
        String localUser,
        String remoteUser,
        boolean inUse,
        boolean draining,
        Instant createdAt,
        @Nullable Instant lastAcquiredAt,
        long uses) {}
