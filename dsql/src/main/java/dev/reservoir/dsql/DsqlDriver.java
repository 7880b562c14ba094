package dev.reservoir.dsql;

import dev.reservoir.core.LocalPermits;
import dev.reservoir.core.spi.Credentials;
import dev.reservoir.core.spi.Credentials.Credential;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/**
 * Takes the URLs of AWS's JDBC connector, {@code jdbc:aws-dsql:postgresql://...}, for tools that know nothing but a URL: one new
 * connection with a fresh token for each call, without a pool and without a limit. Programs use a {@link DsqlDataSource}.
 *
 * <p>Where AWS's own connector is on the class path, it takes none, so that its URLs go where they always went.
 */
public final class DsqlDriver implements Driver {
    private static final String OF_AWS = "software.amazon.dsql.jdbc.DSQLConnector";

    private static final Map<Optional<String>, AwsCredentialsProvider> PROVIDERS = new ConcurrentHashMap<>();

    static {
        try {
            DriverManager.registerDriver(new DsqlDriver());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final boolean yields;

    /** For the {@link DriverManager}. */
    public DsqlDriver() {
        this(isThere(OF_AWS));
    }

    DsqlDriver(boolean yields) {
        this.yields = yields;
    }

    private static boolean isThere(String className) {
        try {
            Class.forName(className, false, DsqlDriver.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    @Override
    public boolean acceptsURL(@Nullable String url) {
        return !yields && AwsUrl.isOne(url);
    }

    /** Opens a connection; null for a URL that is another driver's. What the URL says goes before the properties. Blocks. */
    @Override
    public @Nullable Connection connect(@Nullable String url, @Nullable Properties info) throws SQLException {
        if (url == null || !acceptsURL(url)) {
            return null;
        }
        try {
            return open(AwsUrl.parse(url), info == null ? new Properties() : info)
                    .getConnection();
        } catch (IllegalArgumentException e) {
            throw new SQLException(e.getMessage(), "08001", e);
        }
    }

    private static TokenDataSource open(AwsUrl url, Properties info) {
        Map<String, String> others = new HashMap<>();
        info.stringPropertyNames().forEach(key -> others.put(key, info.getProperty(key)));
        // A tool that has a field for it sends one, empty or not.
        others.remove("password");
        String user = either(url.user(), others.remove("user"));
        String profile = either(url.profile(), others.remove("profile"));
        String region = either(url.region(), others.remove("region"));
        String seconds = either(url.tokenDurationSeconds(), others.remove("token-duration-secs"));
        others.putAll(url.driverProperties());
        String where = region != null ? region : url.endpoint().region();
        if (where == null) {
            throw new IllegalArgumentException("region is missing, and the host "
                    + url.endpoint().host() + " does not tell it; allowed: a region such as us-east-1");
        }
        String role = user == null ? Cluster.ADMIN : user;
        Cluster cluster = new Cluster(
                url.endpoint(),
                where,
                url.database() == null ? Cluster.DATABASE_DEFAULT : url.database(),
                role,
                null,
                others);
        Duration duration =
                seconds == null ? DsqlTokens.DURATION_DEFAULT : Variables.tokenDuration("token-duration-secs", seconds);
        SdkTokenSigner signer = new SdkTokenSigner(
                url.endpoint().host(), where, role, credentials(profile), duration, Clock.systemUTC());
        Credentials fresh = () -> CompletableFuture.completedFuture(
                new Credential(role, signer.sign().secret()));
        return new TokenDataSource(cluster, fresh, LocalPermits.unlimited(), Cluster.driver());
    }

    /** One for each profile and for as long as the process lives, since nobody closes a driver. */
    static AwsCredentialsProvider credentials(@Nullable String profile) {
        return PROVIDERS.computeIfAbsent(Optional.ofNullable(profile), any -> SharedTokens.provider(profile));
    }

    private static @Nullable String either(@Nullable String first, @Nullable String second) {
        return first != null ? first : second;
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[] {
            property("user", "admin, or a role of the database"),
            property("region", "the cluster's region, if its host does not tell it"),
            property("profile", "the profile of the AWS configuration to take credentials from"),
            property("token-duration-secs", "how long a token is to be accepted, in seconds")
        };
    }

    private static DriverPropertyInfo property(String name, String description) {
        DriverPropertyInfo property = new DriverPropertyInfo(name, null);
        property.description = description;
        return property;
    }

    @Override
    public int getMajorVersion() {
        return 0;
    }

    @Override
    public int getMinorVersion() {
        return 1;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("logs go to slf4j", "0A000");
    }
}
