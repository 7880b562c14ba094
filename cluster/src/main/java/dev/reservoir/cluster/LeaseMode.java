package dev.reservoir.cluster;

/** How a fleet counts open connections. */
public enum LeaseMode {
    /** One share for each process, moved in blocks. */
    SHARE,
    /** One counter and one item for each connection, as Go processes count. Choose it where they share the cluster. */
    COUNTER
}
