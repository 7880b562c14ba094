package dev.reservoir.cluster;

/** How a fleet counts open connections. */
public enum LeaseMode {
    /** Each process holds one share of the limit. A share grows and shrinks in blocks. */
    SHARE,
    /** One counter, and one item for each connection, as Go processes count. For clusters that they share. */
    COUNTER
}
