package dev.reservoir.jdbc;

/** How the death of a server is noticed by calls that wait for its answer. */
public enum DeadPeerDetection {
    /**
     * By TCP, and by the server's own word: if callers wait and no connection comes back for two seconds, PostgreSQL, MySQL and
     * MariaDB are asked which of the sessions in use they still serve. Costs one round trip when a connection is opened.
     */
    FULL,
    /**
     * By TCP, which asks whether the server is there: a call that waits for it ends after about 20 seconds of silence. That holds for
     * PostgreSQL, MariaDB and MySQL, and only while the server has acknowledged every packet sent to it; otherwise the system's limit
     * for sending again decides.
     */
    KEEPALIVE,
    /** Only by what the driver and the system notice by themselves. */
    OFF
}
