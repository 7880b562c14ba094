package dev.reservoir.cluster;

/** How a fleet counts new connections. */
public enum PermitMode {
    /** One token bucket for the cluster. Processes reserve slots ahead, first come, first served, without polling. */
    RESERVATION,
    /** One item for each second, as Go processes count. Choose this mode if Go processes share the cluster. */
    WINDOW
}
