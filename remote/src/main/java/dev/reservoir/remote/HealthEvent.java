package dev.reservoir.remote;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A server became healthy or unhealthy.
 *
 * @param healthy what it is from now on
 * @param reason why it is unhealthy; null if it is healthy
 */
public record HealthEvent(
        String serverName, boolean healthy, @Nullable String reason, Instant at) {}
