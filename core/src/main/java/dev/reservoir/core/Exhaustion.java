package dev.reservoir.core;

/** What a checkout does when no connection is ready. */
public enum Exhaustion {
    /** Wait in the wait queue until the deadline. */
    WAIT,
    /** Fail at once. */
    FAIL,
    /** Wait, and meanwhile open a temporary connection beyond the maximum. It closes on release. */
    OVERFLOW
}
