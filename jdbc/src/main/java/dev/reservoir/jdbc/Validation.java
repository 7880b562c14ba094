package dev.reservoir.jdbc;

/** When a connection is validated. In the background that happens with every choice. */
public enum Validation {
    /** Never on a caller's path: idle and suspect connections are validated in the background. */
    BACKGROUND,
    /** At every checkout as well, while the caller waits, until its deadline at most. */
    CHECKOUT,
    /** The same, if the connection has been idle for longer than {@code validationIdle}. The default. */
    IDLE
}
