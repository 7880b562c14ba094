package dev.reservoir.jdbc;

/** When a connection is proven alive. In the background that happens with every choice. */
public enum Validation {
    /** Never on a borrower's path: idle and suspect connections are proven in the background. The default. */
    BACKGROUND,
    /** At every checkout as well, on the borrower's thread. */
    CHECKOUT,
    /** At a checkout as well, on the borrower's thread, if the connection has been idle for longer than {@code validationIdle}. */
    IDLE
}
