package dev.reservoir.core;

/** How fast the reservoir opens connections that nobody needs yet: replacements of lost connections, and successors. */
public enum RefillPacing {
    /** Spread over time, at the long-run rate or within 10 seconds, so that handshakes do not slow down requests. */
    SMOOTH,
    /** As fast as permits allow. */
    OFF
}
