package dev.reservoir.remote;

import dev.reservoir.core.Durations;
import org.jspecify.annotations.Nullable;

/**
 * Times and traffic of one server since it was registered. The connection of the health check is not part of any
 * number.
 *
 * @param acquireTime how long acquires took that got a connection; of those that found a ready one, a sample is timed
 * @param queryTime how long statements took that went through {@link PooledRemoteConnection}, also those that failed;
 *     the count also includes statements of connections that are closed
 * @param failedConnections connections in use on which {@link PooledRemoteConnection} saw an error that ended them.
 *     They are part of the active connections and close on release
 * @param bytesSent bytes written to the network, with those of TLS and of failed connects; null if the driver of a
 *     connection offers no way to count them, or if no connection was opened yet
 * @param bytesReceived bytes read from the network, in the same way
 */
public record ServerMeasurements(
        String serverName,
        Durations acquireTime,
        Durations queryTime,
        int failedConnections,
        @Nullable Long bytesSent,
        @Nullable Long bytesReceived) {}
