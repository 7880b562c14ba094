package dev.reservoir.jdbc;

/** How a call that waits for an answer notices that the server is dead. */
public enum DeadPeerDetection {
    /**
     * By TCP keepalive, and by asking the server. If callers wait and no connection is released for two seconds,
     * Reservoir asks PostgreSQL, MySQL and MariaDB which of the sessions in use they still serve. Costs one round trip
     * when a connection is opened.
     */
    FULL,
    /**
     * By TCP keepalive. A waiting call ends after about 20 seconds of silence. This works for PostgreSQL, MariaDB and
     * MySQL, and only if the server has acknowledged every packet sent to it. Otherwise the retransmission limit of the
     * operating system decides.
     */
    KEEPALIVE,
    /** Only by what the driver and the operating system notice by themselves. */
    OFF
}
