package dev.reservoir.remote.model;

import java.util.Locale;

/** The states of a connection to a remote server. */
public enum ConnectionState {
    DISCONNECTED,
    CONNECTING,
    AUTHENTICATING,
    /** Connected, with no statement and no transaction under way. */
    CONNECTED,
    IN_TRANSACTION,
    EXECUTING,
    FETCHING,
    CLOSING,
    /** Broken. The pool closes it. */
    FAILED;

    /** Whether the session with the server exists, which is also true inside a transaction. */
    public boolean isOpen() {
        return this == CONNECTED || this == IN_TRANSACTION || this == EXECUTING || this == FETCHING;
    }

    /** The name in statistics and views, such as {@code in_transaction}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
