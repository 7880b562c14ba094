package dev.reservoir.dsql.endpoint;

import java.nio.file.Path;
import java.sql.Driver;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * A cluster and how to log in to it, but for the token.
 *
 * @param driverProperties what the user tells the driver; goes before the defaults here
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

    /** The PostgreSQL driver, by its name: its classes need annotations to compile against that nobody needs to run it. */
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

    /** As the PostgreSQL driver reads it. */
    public String url() {
        return "jdbc:postgresql://" + endpoint.host() + ":" + endpoint.port() + "/" + database;
    }

    /**
     * What the driver is told: to check that the server is the one named, and by whom that is vouched for. The name is sent with
     * the first packet of the encryption (SNI) by Java itself.
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
