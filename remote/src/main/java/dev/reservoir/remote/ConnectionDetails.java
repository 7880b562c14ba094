package dev.reservoir.remote;

import dev.reservoir.remote.model.ConnectionState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One open connection of the registry.
 *
 * @param id identifies it in this process, for {@link RemoteConnectionPoolRegistry#resetConnection}
 * @param state what its session does now; statements of {@link PooledRemoteConnection#connection} are not seen here
 * @param markedForEviction whether it closes on release: it was evicted or failed, its lifetime ends, or its pool is
 *     one of an earlier definition or mapping
 * @param lastAcquiredAt when it was last acquired; null if it never was
 * @param lastValidatedAt when it last showed that it works: at its connect, a validation, or the release after a use
 * @param uses how many acquires it has served
 * @param queries statements that went through {@link PooledRemoteConnection}
 */
public record ConnectionDetails(
        long id,
        String serverName,
        String localUser,
        String remoteUser,
        boolean inUse,
        ConnectionState state,
        boolean markedForEviction,
        Instant createdAt,
        @Nullable Instant lastAcquiredAt,
        Instant lastValidatedAt,
        long uses,
        long queries) {}
