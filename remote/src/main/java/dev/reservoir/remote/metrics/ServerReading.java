package dev.reservoir.remote.metrics;

import dev.reservoir.remote.RemoteConnectionPoolRegistry;
import dev.reservoir.remote.ServerHealth;
import dev.reservoir.remote.ServerMeasurements;
import dev.reservoir.remote.ServerPoolStats;
import dev.reservoir.remote.model.RemoteException;
import org.jspecify.annotations.Nullable;

/** The reports of one server, from which all its metrics are read. */
record ServerReading(ServerPoolStats stats, ServerHealth health, ServerMeasurements measurements) {
    /** Reads a server. Returns null if it was removed meanwhile. */
    static @Nullable ServerReading of(RemoteConnectionPoolRegistry registry, String server) {
        try {
            return new ServerReading(
                    registry.serverStats(server), registry.serverHealth(server), registry.serverMeasurements(server));
        } catch (RemoteException removed) {
            return null;
        }
    }

    String name() {
        return stats.serverName();
    }

    /** Never more than the active ones, although the two numbers are not read at the same instant. */
    int failedConnections() {
        return Math.min(measurements.failedConnections(), stats.activeConnections());
    }
}
