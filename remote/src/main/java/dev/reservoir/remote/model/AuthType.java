package dev.reservoir.remote.model;

/** How a user proves its identity to a remote server. */
public enum AuthType {
    PASSWORD,
    KERBEROS,
    CERTIFICATE
}
