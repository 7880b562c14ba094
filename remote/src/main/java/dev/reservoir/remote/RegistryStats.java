package dev.reservoir.remote;

/**
 * All servers of a registry together. The numbers are the sums of the servers' {@link ServerPoolStats}, so
 * {@code totalConnections == activeConnections + idleConnections}.
 *
 * @param totalServers registered servers: healthy and unhealthy ones
 * @param totalConnections open connections: active and idle ones
 * @param openingConnections connects under way, not part of the total
 * @param totalAcquires how many acquires got a connection
 * @param totalReleases how many connections came back
 * @param totalErrors failed connects and acquires that ended without a connection
 */
public record RegistryStats(
        int totalServers,
        int healthyServers,
        int unhealthyServers,
        long totalConnections,
        long activeConnections,
        long idleConnections,
        long openingConnections,
        long totalAcquires,
        long totalReleases,
        long totalErrors) {}
