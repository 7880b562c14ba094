package dev.reservoir.remote.adapter;

/** An operation that not every database or driver offers. */
public enum Capability {
    /** The server clears all session state on request. Without it, {@link AdapterSession#reset} may say REPLACE. */
    RESET,
    SAVEPOINTS,
    /** A second thread can end a running statement. */
    CANCEL,
    /** Rows are read in batches of the fetch size, so a result of any size needs little memory. */
    CURSORS,
    SCHEMAS,
    TLS,
    /** Login with a client certificate. */
    CLIENT_CERTIFICATE,
    KERBEROS
}
