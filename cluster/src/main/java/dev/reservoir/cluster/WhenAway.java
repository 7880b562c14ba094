package dev.reservoir.cluster;

/** What a process does while the store does not answer. Connections that are open are served in any case. */
public enum WhenAway {
    /** Goes on opening, at its share of the rate and of what was free when the store was last seen. */
    LOCAL_SHARE,
    /** Opens nothing. */
    STOP
}
