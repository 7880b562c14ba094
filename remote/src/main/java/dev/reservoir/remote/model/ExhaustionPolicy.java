package dev.reservoir.remote.model;

/** What an acquire does when all connections of a server are in use. */
public enum ExhaustionPolicy {
    /** Waits until its deadline. */
    WAIT,
    /** Fails at once. */
    FAIL_FAST,
    /** Opens a temporary connection beyond the maximum. It closes on release. */
    OVERFLOW
}
