package dev.reservoir.remote.adapter.database;

import dev.reservoir.remote.adapter.jdbc.ConnectOptions;
import dev.reservoir.remote.model.RemoteException;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Writes options into the properties of a driver, and refuses what the driver does not support. */
final class PropertyWriter {
    private final ConnectOptions options;
    private final Properties properties;

    PropertyWriter(ConnectOptions options, Properties properties) {
        this.options = options;
        this.properties = properties;
    }

    /** Writes a value, if there is one. */
    void put(String property, @Nullable String value) {
        if (value != null) {
            properties.put(property, value);
        }
    }

    /** Writes user and password. */
    void login() throws RemoteException {
        properties.put("user", options.mapping().remoteUser());
        put("password", options.password());
    }

    /** Refuses a login by certificate that has none, or that runs without TLS. */
    void requireClientCertificate() throws RemoteException {
        if (!options.usesCertificate()) {
            return;
        }
        if (options.clientCertificate() == null) {
            throw RemoteException.missingOption(
                    "client_certificate",
                    "a file, because auth_type is 'certificate' (or ssl_client_cert of the server)");
        }
        if (!options.server().sslMode().isRequired()) {
            throw options.refused(
                    "ssl_mode",
                    options.server().sslMode().label(),
                    "require, verify-ca, verify-full, because auth_type is 'certificate'");
        }
    }

    /**
     * Writes a key store with certificate and key of the client, for a driver that reads no other files.
     *
     * @param file the property for the file
     * @param type the property for the type of the key store
     */
    void clientKeyStore(String file, String type, boolean asUrl) throws RemoteException {
        String store = options.clientCertificate();
        if (store == null) {
            return;
        }
        String name = store.toLowerCase(Locale.ROOT);
        boolean pkcs12 = name.endsWith(".p12") || name.endsWith(".pfx");
        if (!pkcs12 && !name.endsWith(".jks")) {
            throw options.refused(
                    "ssl_client_cert", store, "a key store with certificate and key, as a file .p12, .pfx or .jks");
        }
        options.refuseIfGiven("ssl_client_key", options.clientKey(), "nothing, because the key store holds the key");
        put(file, asUrl ? "file:" + store : store);
        put(type, pkcs12 ? "PKCS12" : "JKS");
    }
}
