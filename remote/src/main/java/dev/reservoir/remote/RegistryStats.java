package dev.reservoir.remote;

import java.util.List;
import java.util.function.ToLongFunction;

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
        long totalErrors) {
    /** Adds up servers. */
    static RegistryStats of(List<ServerPoolStats> servers) {
        int healthy = (int) servers.stream().filter(ServerPoolStats::healthy).count();
        return new RegistryStats(
                servers.size(),
                healthy,
                servers.size() - healthy,
                sum(servers, ServerPoolStats::totalConnections),
                sum(servers, ServerPoolStats::activeConnections),
                sum(servers, ServerPoolStats::idleConnections),
                sum(servers, ServerPoolStats::openingConnections),
                sum(servers, ServerPoolStats::totalAcquires),
                sum(servers, ServerPoolStats::totalReleases),
                sum(servers, stats -> stats.acquireTimeouts() + stats.connectionErrors()));
    }

    private static long sum(List<ServerPoolStats> servers, ToLongFunction<ServerPoolStats> number) {
        return servers.stream().mapToLong(number).sum();
    }
}
