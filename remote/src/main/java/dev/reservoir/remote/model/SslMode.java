package dev.reservoir.remote.model;

import java.util.Locale;

/** How much TLS a connection needs. The names are those of PostgreSQL. */
public enum SslMode {
    /** Never TLS. */
    DISABLE,
    /** Without TLS if the server accepts that, else with it. */
    ALLOW,
    /** With TLS if the server offers it, else without. */
    PREFER,
    /** Always TLS. The certificate of the server is not checked. */
    REQUIRE,
    /** Always TLS. A known authority must have signed the certificate. */
    VERIFY_CA,
    /** Always TLS. A known authority must have signed the certificate, and it must name the host. */
    VERIFY_FULL;

    /** The name in options and views, such as {@code verify-full}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether a connection without TLS is refused. */
    public boolean isRequired() {
        return compareTo(REQUIRE) >= 0;
    }

    /** Whether the certificate of the server is checked. */
    public boolean isVerified() {
        return compareTo(VERIFY_CA) >= 0;
    }
}
