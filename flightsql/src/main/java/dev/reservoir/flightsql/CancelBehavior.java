package dev.reservoir.flightsql;

/** What the pool does with a statement whose caller stops waiting for it. */
public enum CancelBehavior {
    /**
     * Asks the server to stop the statement. Keeps the connection if the server confirms that and the connection still
     * works, and drops it otherwise.
     */
    CANCEL,
    /** Drops the connection at once. */
    DROP
}
