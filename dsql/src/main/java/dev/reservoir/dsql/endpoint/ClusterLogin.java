package dev.reservoir.dsql.endpoint;

import java.nio.file.Path;
import java.sql.Driver;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * A cluster and the login data, except for the token.
 *
 * @param driverProperties the user's properties for the driver; they override the defaults of this class
 */
public record ClusterLogin(
        Endpoint endpoint,
        String region,
        String database,
        String user,
        @Nullable Path rootCertificate,
        Map<String, String> driverProperties) {
    public static final String DRIVER = "org.postgresql.Driver";
    public static final String DATABASE_DEFAULT = "postgres";
    public static final String ADMIN = "admin";

    private static final String TRUSTS_WHAT_JAVA_TRUSTS = "org.postgresql.ssl.DefaultJavaSSLFactory";

    /** Creates the PostgreSQL driver by name. Compiling against it would need annotations that are not needed here. */
    public static Driver driver() {
        try {
            return Class.forName(DRIVER)
                    .asSubclass(Driver.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    DRIVER + " is missing; needed: org.postgresql:postgresql on the class path", e);
        }
    }

    /** Returns the URL in the form of the PostgreSQL driver. */
    public String url() {
        return "jdbc:postgresql://" + endpoint.host() + ":" + endpoint.port() + "/" + database;
    }

    /**
     * Returns the driver's properties. They make the driver verify the server's name and certificate, and name the
     * trusted root certificates. Java itself sends the server's name in the TLS handshake (SNI).
     */
    public Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("sslmode", "verify-full");
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("ApplicationName", "reservoir");
        if (rootCertificate != null) {
            properties.setProperty("sslrootcert", rootCertificate.toString());
        } else if (!driverProperties.containsKey("sslrootcert")) {
            properties.setProperty("sslfactory", TRUSTS_WHAT_JAVA_TRUSTS);
        }
        driverProperties.forEach(properties::setProperty);
        return properties;
    }
}
