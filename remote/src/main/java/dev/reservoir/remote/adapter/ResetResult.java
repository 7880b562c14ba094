package dev.reservoir.remote.adapter;

/** What a reset achieved. */
public enum ResetResult {
    /** The session is as it was after the connect. */
    CLEAN,
    /**
     * The connection works, but the session keeps state that the adapter cannot remove. Close the connection and open
     * another one.
     */
    REPLACE
}
