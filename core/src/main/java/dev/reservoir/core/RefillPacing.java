package dev.reservoir.core;

/** How fast connections are opened that nobody needs yet: those that replace lost ones, and successors. */
public enum RefillPacing {
    /** Spread over time, at the long-run rate or within 10 seconds, so that handshakes do not slow down requests. */
    SMOOTH,
    /** As fast as permits allow. */
    OFF
}
