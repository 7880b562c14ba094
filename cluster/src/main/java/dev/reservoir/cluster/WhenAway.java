package dev.reservoir.cluster;

/** What a process does while the store does not answer. Connections that are open are served in any case. */
public enum WhenAway {
    /**
     * The process keeps opening connections, at its share of the rate and within its share of the leases that were free
     * when it last reached the store.
     */
    LOCAL_SHARE,
    /** The process opens no connections. */
    STOP
}
