package dev.reservoir.jdbc;

/** When connections are validated. Every choice includes validation in the background. */
public enum Validation {
    /** Never on a caller's path. Idle and suspect connections are validated in the background. */
    BACKGROUND,
    /** Also at every checkout. The caller waits for the result, until its deadline at most. */
    CHECKOUT,
    /** Also at checkout, if the connection has been idle for longer than {@code validationIdle}. The default. */
    IDLE
}
