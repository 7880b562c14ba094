package dev.reservoir.core;

/**
 * The reason why a connection could not be opened. Each reason has its own back-off. Logs and metrics use the label.
 */
public enum OpenFailureReason {
    /** No permit came within the timeout, or the source of permits failed. */
    RATE_LIMIT("rate_limit", false),
    /** No lease was available. */
    LEASE_ACQUIRE("lease_acquire", false),
    /** No credentials were available. */
    TOKEN_PROVIDER("token_provider", false),
    /** The server refused the connect, or could not be reached. */
    CONNECT("connect", true),
    /** The server did not answer by the deadline. */
    CONNECT_TIMEOUT("connect_timeout", true),
    /** The server did not accept the credentials. */
    AUTHENTICATION("authentication", false),
    /** The host name is unknown. */
    UNKNOWN_HOST("unknown_host", false),
    /** The server has no database of this name. */
    UNKNOWN_DATABASE("unknown_database", false),
    /** The server reports that connections are opened too fast (53400). */
    SERVER_RATE("server_rate", false),
    /** The server reports that too many connections are open (53300). */
    SERVER_FULL("server_full", false);

    private final String label;
    private final boolean signOfTrouble;

    OpenFailureReason(String label, boolean signOfTrouble) {
        this.label = label;
        this.signOfTrouble = signOfTrouble;
    }

    /** The word for logs and metrics. */
    public String label() {
        return label;
    }

    /** Whether only a change of settings, here or on the server, can help. A retry soon cannot. */
    public boolean isMisconfiguration() {
        return this == AUTHENTICATION || this == UNKNOWN_HOST || this == UNKNOWN_DATABASE;
    }

    /** Whether this failure is a reason to suspect the connections that are already open. */
    public boolean signOfTrouble() {
        return signOfTrouble;
    }
}
