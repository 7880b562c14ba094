package dev.reservoir.jdbc;

/** When a connection is proven alive. In the background that happens with every choice. */
public enum Validation {
    /** Never on a borrower's path: idle and suspect connections are proven in the background. The default. */
    BACKGROUND,
    /** At every checkout as well, while the borrower waits, until his deadline at most. */
    CHECKOUT,
    /** The same, if the connection has been idle for longer than {@code validationIdle}. */
    IDLE
}
