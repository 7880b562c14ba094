package dev.reservoir.cluster;

/** How a fleet counts new connections. */
public enum PermitMode {
    /** One token bucket for the cluster, whose slots are reserved ahead: no polling, first come first served. */
    RESERVATION,
    /** One item a second, as Go processes count. Choose it where they share the cluster. */
    WINDOW
}
