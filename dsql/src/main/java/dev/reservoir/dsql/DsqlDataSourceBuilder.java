package dev.reservoir.dsql;

import com.zaxxer.hikari.HikariConfig;
import dev.reservoir.core.SettingException;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.dsql.DsqlDataSource.Mode;
import dev.reservoir.dsql.connect.DsqlVariables;
import dev.reservoir.dsql.endpoint.AwsUrl;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import dev.reservoir.dsql.endpoint.Endpoint;
import dev.reservoir.dsql.token.TokenDuration;
import dev.reservoir.jdbc.ReservoirDataSourceBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/**
 * Collects the settings of a {@link DsqlDataSource}. Only {@code endpoint} or {@code url} is required. No method blocks
 * except {@link #build}. A setting that is not allowed is rejected with a message that names the setting, its value and
 * the allowed values.
 */
public final class DsqlDataSourceBuilder {
    @Nullable
    String name;

    @Nullable
    Endpoint endpoint;

    @Nullable
    String region;

    @Nullable
    AwsCredentialsProvider credentialsProvider;

    @Nullable
    String profile;

    @Nullable
    Path rootCertificate;

    @Nullable
    Integer maxOpen;

    @Nullable
    Double connectionRateLimit;

    @Nullable
    Integer connectionBurstLimit;

    @Nullable
    Permits permits;

    @Nullable
    Leases leases;

    @Nullable
    DsqlVariables variables;

    String database = ClusterLogin.DATABASE_DEFAULT;
    String user = ClusterLogin.ADMIN;
    Duration tokenDuration = TokenDuration.DEFAULT;
    Mode mode = Mode.RESERVOIR;
    final Map<String, String> driverProperties = new LinkedHashMap<>();
    final List<Consumer<ReservoirDataSourceBuilder>> reservoirSettings = new ArrayList<>();
    final List<Consumer<HikariConfig>> hikariSettings = new ArrayList<>();
    private boolean built;

    DsqlDataSourceBuilder() {}

    /** Sets the name in logs, threads and JMX, unique among running data sources. Default: {@code dsql-1} and so on. */
    public DsqlDataSourceBuilder name(String value) {
        name = value;
        return this;
    }

    /** Sets the cluster's host name, with or without a port. The default port is 5432. */
    public DsqlDataSourceBuilder endpoint(String value) {
        endpoint = Endpoint.parse("endpoint", value);
        return this;
    }

    /**
     * Takes a URL in the form of AWS's JDBC connector:
     * {@code jdbc:aws-dsql:postgresql://host:port/database?user=admin}. Its parameters may be {@code user},
     * {@code region}, {@code profile}, {@code token-duration-secs} and any parameter of the PostgreSQL driver.
     */
    public DsqlDataSourceBuilder url(String value) {
        AwsUrl parsed = AwsUrl.parse(value);
        endpoint = parsed.endpoint();
        database = parsed.database() == null ? database : parsed.database();
        user = parsed.user() == null ? user : parsed.user();
        region = parsed.region() == null ? region : parsed.region();
        profile = parsed.profile() == null ? profile : parsed.profile();
        String seconds = parsed.tokenDurationSeconds();
        if (seconds != null) {
            tokenDuration = TokenDuration.parse("token-duration-secs", seconds);
        }
        driverProperties.putAll(parsed.driverProperties());
        return this;
    }

    /** Sets the region. Default: that in the host name, then the variables {@code REGION} and {@code AWS_REGION}. */
    public DsqlDataSourceBuilder region(String value) {
        region = value;
        return this;
    }

    /** Sets the user to log in as: {@code admin}, which is the default, or a role of the database. */
    public DsqlDataSourceBuilder user(String value) {
        user = value;
        return this;
    }

    /** Sets the source of AWS credentials. It may block, as no caller runs it. Default: the SDK's default chain. */
    public DsqlDataSourceBuilder credentialsProvider(AwsCredentialsProvider value) {
        credentialsProvider = value;
        return this;
    }

    /** Sets the profile of the AWS configuration that holds the credentials. It replaces the default chain. */
    public DsqlDataSourceBuilder profile(String value) {
        profile = value;
        return this;
    }

    /** Sets how long the server accepts each token, from 1 second to 7 days. Default: 15 minutes. */
    public DsqlDataSourceBuilder tokenDuration(Duration value) {
        tokenDuration = TokenDuration.check("tokenDuration", value);
        return this;
    }

    /** Sets a file with the root certificate for the server's certificate. Default: those that Java trusts. */
    public DsqlDataSourceBuilder rootCertificate(Path value) {
        rootCertificate = value;
        return this;
    }

    /** Sets one property of the PostgreSQL driver. It overrides the value that this module would set. */
    public DsqlDataSourceBuilder driverProperty(String key, String value) {
        driverProperties.put(key, value);
        return this;
    }

    /**
     * Sets the largest number of open connections, in both modes. Default: 100. From the environment it is
     * {@code DSQL_RESERVOIR_MAX_OPEN} or, for a reservoir, {@code DSQL_RESERVOIR_TARGET_READY}.
     */
    public DsqlDataSourceBuilder maxOpen(int value) {
        check(value >= 1, "maxOpen", value, "1 or more");
        maxOpen = value;
        return this;
    }

    /** Sets how many connections this process may open per second. Default: 10. */
    public DsqlDataSourceBuilder connectionRateLimit(double value) {
        check(value > 0 && Double.isFinite(value), "connectionRateLimit", value, "more than 0");
        connectionRateLimit = value;
        return this;
    }

    /** Sets how many connections may be opened at once after an idle period. Default: 100. */
    public DsqlDataSourceBuilder connectionBurstLimit(int value) {
        check(value >= 1, "connectionBurstLimit", value, "1 or more");
        connectionBurstLimit = value;
        return this;
    }

    private static void check(boolean allowed, String key, Number value, String what) {
        if (!allowed) {
            throw new SettingException(key, value, what);
        }
    }

    /** Sets the source of permits to connect. It replaces the rate limit of this process alone. */
    public DsqlDataSourceBuilder permits(Permits value) {
        permits = value;
        return this;
    }

    /** Sets the source of leases. Only for reservoir mode. Default: none, and connections need no lease. */
    public DsqlDataSourceBuilder leases(Leases value) {
        leases = value;
        return this;
    }

    /**
     * Sets the pool that provides the connections. Default: {@link Mode#RESERVOIR}. From the environment it is what
     * {@code DSQL_RESERVOIR_ENABLED} says.
     */
    public DsqlDataSourceBuilder mode(Mode value) {
        mode = Objects.requireNonNull(value, "mode");
        return this;
    }

    /** Changes any setting of the reservoir, after all others are applied. Has an effect only in reservoir mode. */
    public DsqlDataSourceBuilder reservoir(Consumer<ReservoirDataSourceBuilder> settings) {
        reservoirSettings.add(settings);
        return this;
    }

    /** Changes any setting of HikariCP, after all others are applied. Has an effect only in standard mode. */
    public DsqlDataSourceBuilder hikari(Consumer<HikariConfig> settings) {
        hikariSettings.add(settings);
        return this;
    }

    /** Takes settings from environment variables, as {@link DsqlDataSource#fromEnvironment(Map)} does. */
    public DsqlDataSourceBuilder environment(Map<String, String> values) {
        DsqlVariables read = DsqlVariables.read(values);
        variables = read;
        String host = read.text(DsqlVariables.ENDPOINT);
        if (host != null) {
            endpoint = Endpoint.parse(DsqlVariables.ENDPOINT, host);
        }
        String role = read.text(DsqlVariables.USER);
        user = role == null ? user : role;
        Duration duration = read.tokenDuration();
        tokenDuration = duration == null ? tokenDuration : duration;
        mode = read.isReservoirMode() ? Mode.RESERVOIR : Mode.STANDARD;
        return this;
    }

    /**
     * Starts the data source. Blocks until the first connections are ready. In reservoir mode it blocks for at most
     * {@code initialFillTimeout}. In standard mode it blocks for the warm-up, at most about a minute longer than the
     * rate limit requires. Does not fail if the cluster cannot be reached.
     *
     * @throws IllegalArgumentException if a setting is missing or not allowed
     * @throws IllegalStateException if a reservoir of that name is running, or this builder has been used
     */
    public DsqlDataSource build() {
        if (built) {
            throw new IllegalStateException("this builder has already built its data source; use a new builder");
        }
        built = true;
        return new DataSourceAssembly(this).start();
    }
}
