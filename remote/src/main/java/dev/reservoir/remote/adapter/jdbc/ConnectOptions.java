package dev.reservoir.remote.adapter.jdbc;

import dev.reservoir.remote.adapter.DriverInfo;
import dev.reservoir.remote.model.AuthType;
import dev.reservoir.remote.model.RemoteException;
import dev.reservoir.remote.model.Secret;
import dev.reservoir.remote.model.ServerDefinition;
import dev.reservoir.remote.model.SslMode;
import dev.reservoir.remote.model.UserMapping;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a driver must be told for one connect.
 *
 * @param sslMode the mode of this attempt; for a driver that does not know all modes, not always that of the server
 * @param timeout the longest time of this attempt
 */
public record ConnectOptions(
        ServerDefinition server, UserMapping mapping, DriverInfo driver, SslMode sslMode, Duration timeout) {

    /** Longest timeout that is passed to a driver: the most that SQL Server's driver accepts. */
    private static final long SECONDS_MAX = 65_535;

    public boolean usesKerberos() {
        return mapping.authType() == AuthType.KERBEROS;
    }

    public boolean usesCertificate() {
        return mapping.authType() == AuthType.CERTIFICATE;
    }

    /** The certificate of the client: that of the user, else that of the server. */
    public @Nullable String clientCertificate() {
        String ofUser = mapping.clientCertificate();
        return ofUser == null ? server.sslClientCert() : ofUser;
    }

    public @Nullable String clientKey() {
        String ofUser = mapping.clientKey();
        return ofUser == null ? server.sslClientKey() : ofUser;
    }

    /** Reads the password. It may do file I/O. Returns null if there is none. */
    public @Nullable String password() throws RemoteException {
        Secret secret = mapping.remotePassword();
        return secret == null ? null : secret.read();
    }

    /** The timeout in seconds, rounded up, because 0 means no timeout. */
    public String timeoutSeconds() {
        long seconds = timeout.plusSeconds(1).minusNanos(1).toSeconds();
        return Long.toString(Math.max(1, Math.min(SECONDS_MAX, seconds)));
    }

    /** The timeout in milliseconds, rounded up. */
    public String timeoutMillis() {
        long millis = timeout.plusMillis(1).minusNanos(1).toMillis();
        return Long.toString(Math.max(1, Math.min(SECONDS_MAX * 1_000, millis)));
    }

    /** The host as it stands in a URL. */
    public static String urlHost(ServerDefinition server) {
        String host = server.host();
        return host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    }

    /** The refusal of an option that the driver does not support. */
    public RemoteException refused(String option, Object value, String allowed) {
        return RemoteException.invalidOption(
                option, value, allowed + " (server " + server.name() + ", driver " + driver.name() + ")");
    }

    /** Refuses a login that the driver cannot do. */
    public void refuseLogin(AuthType type, String allowed) throws RemoteException {
        if (mapping.authType() == type) {
            throw refused("auth_type", type.name().toLowerCase(java.util.Locale.ROOT), allowed);
        }
    }

    /** Refuses an option that the driver has no use for. */
    public void refuseIfGiven(String option, @Nullable String value, String allowed) throws RemoteException {
        if (value != null) {
            throw refused(option, value, allowed);
        }
    }
}
