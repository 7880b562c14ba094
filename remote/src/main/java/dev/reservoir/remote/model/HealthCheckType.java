package dev.reservoir.remote.model;

/** What a health check does with a connection. */
public enum HealthCheckType {
    /** Asks the driver whether the connection works. */
    PING,
    /** Executes the health query. */
    QUERY,
    /** Resets the connection, then executes the health query. */
    FULL_VALIDATE
}
