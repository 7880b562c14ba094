package dev.reservoir.dsql;

import dev.reservoir.dsql.connect.DriverResources;
import dev.reservoir.dsql.endpoint.AwsUrl;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import dev.reservoir.dsql.token.TokenDuration;
import dev.reservoir.jdbc.AbstractDriver;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Accepts the URLs of AWS's JDBC connector, {@code jdbc:aws-dsql:postgresql://...}, for tools that accept only a URL.
 * Each call opens one new connection. It never pools connections; programs use a {@link DsqlDataSource}.
 *
 * <p>The driver obeys the rate limit of the process, or of the cluster if the environment configures one. It uses one
 * token for many connects.
 *
 * <p>If AWS's own connector is on the class path, this driver accepts no URL. The URLs then go to AWS's connector as
 * before.
 */
public final class DsqlDriver extends AbstractDriver {
    private static final String AWS_CONNECTOR = "software.amazon.dsql.jdbc.DSQLConnector";

    static {
        try {
            DriverManager.registerDriver(
                    new DsqlDriver(), () -> DriverResources.ofThisProcess().closeAll());
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final boolean defersToAws;
    private final DriverResources resources;

    /** Creates a driver for the {@link DriverManager}. */
    public DsqlDriver() {
        this(isOnClassPath(AWS_CONNECTOR), DriverResources.ofThisProcess());
    }

    DsqlDriver(boolean defersToAws, DriverResources resources) {
        super(AwsUrl.PREFIX, AwsUrl.PREFIX + "<host>:<port>/<database>?<parameters>");
        this.defersToAws = defersToAws;
        this.resources = resources;
    }

    private static boolean isOnClassPath(String className) {
        try {
            Class.forName(className, false, DsqlDriver.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    @Override
    public boolean acceptsURL(@Nullable String url) {
        return !defersToAws && AwsUrl.isAwsUrl(url);
    }

    /**
     * Opens a connection, or returns null for a URL of another driver. Values in the URL override the properties.
     * Blocks up to 30 seconds for a permit, then up to 10 seconds for the token and 10 seconds for the connect.
     */
    @Override
    public @Nullable Connection connect(@Nullable String url, @Nullable Properties info) throws SQLException {
        if (url == null || !acceptsURL(url)) {
            return null;
        }
        try {
            return open(AwsUrl.parse(url), info == null ? new Properties() : info);
        } catch (IllegalArgumentException e) {
            throw new SQLException(e.getMessage(), "08001", e);
        }
    }

    private Connection open(AwsUrl url, Properties info) throws SQLException {
        Map<String, String> others = new HashMap<>();
        info.stringPropertyNames().forEach(key -> others.put(key, info.getProperty(key)));
        // Tools that have a password field send one, even if it is empty. The token replaces it.
        others.remove("password");
        String user = firstOf(url.user(), others.remove("user"));
        String profile = firstOf(url.profile(), others.remove("profile"));
        String region = firstOf(url.region(), others.remove("region"));
        String seconds = firstOf(url.tokenDurationSeconds(), others.remove("token-duration-secs"));
        others.putAll(url.driverProperties());
        String effectiveRegion = region != null ? region : url.endpoint().region();
        if (effectiveRegion == null) {
            throw new IllegalArgumentException("region is missing, and the host "
                    + url.endpoint().host() + " does not contain it; allowed: a region such as us-east-1");
        }
        ClusterLogin cluster = new ClusterLogin(
                url.endpoint(),
                effectiveRegion,
                Objects.requireNonNullElse(url.database(), ClusterLogin.DATABASE_DEFAULT),
                Objects.requireNonNullElse(user, ClusterLogin.ADMIN),
                null,
                others);
        Duration duration =
                seconds == null ? TokenDuration.DEFAULT : TokenDuration.parse("token-duration-secs", seconds);
        return resources.connect(cluster, profile, duration);
    }

    private static @Nullable String firstOf(@Nullable String first, @Nullable String second) {
        return first != null ? first : second;
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[] {
            property("user", null, "admin, or a role of the database"),
            property("region", null, "the cluster's region, if its host name does not contain it"),
            property("profile", null, "the profile of the AWS configuration to take credentials from"),
            property("token-duration-secs", null, "how long the server accepts a token, in seconds")
        };
    }
}
