package dev.reservoir.dsql;

import com.zaxxer.hikari.HikariConfig;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.dsql.DsqlDataSource.Mode;
import dev.reservoir.dsql.connect.DsqlVariables;
import dev.reservoir.dsql.endpoint.AwsUrl;
import dev.reservoir.dsql.endpoint.Endpoint;
import dev.reservoir.dsql.token.DsqlTokens;
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
 * Collects the settings of a {@link DsqlDataSource}. Only {@code endpoint} or {@code url} is required. No method blocks but {@link
 * #build}. What is not allowed is refused with a message that names the setting, the value and what is allowed.
 */
public final class DsqlDataSourceBuilder {
    @Nullable
    String name;

    @Nullable
    Endpoint endpoint;

    @Nullable
    String region;

    @Nullable
    String database;

    @Nullable
    String user;

    @Nullable
    AwsCredentialsProvider credentialsProvider;

    @Nullable
    String profile;

    @Nullable
    Duration tokenDuration;

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

    Mode mode = Mode.RESERVOIR;
    final Map<String, String> driverProperties = new LinkedHashMap<>();
    final List<Consumer<ReservoirDataSourceBuilder>> reservoirSettings = new ArrayList<>();
    final List<Consumer<HikariConfig>> hikariSettings = new ArrayList<>();
    private boolean built;

    DsqlDataSourceBuilder() {}

    /**
     * Names it in logs, threads and JMX. Unique among the running ones of a process. Default: {@code dsql-1} and so on.
     */
    public DsqlDataSourceBuilder name(String value) {
        name = value;
        return this;
    }

    /** The cluster's host name, with or without a port, which is 5432 otherwise. */
    public DsqlDataSourceBuilder endpoint(String value) {
        endpoint = Endpoint.parse("endpoint", value);
        return this;
    }

    /**
     * A URL as AWS's JDBC connector takes it: {@code jdbc:aws-dsql:postgresql://host:port/database?user=admin}, with its parameters
     * {@code user}, {@code region}, {@code profile} and {@code token-duration-secs}, and any of the PostgreSQL driver's.
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
            tokenDuration = DsqlVariables.tokenDuration("token-duration-secs", seconds);
        }
        driverProperties.putAll(parsed.driverProperties());
        return this;
    }

    /** The cluster's region. Default: what the host name tells, then {@code REGION} and {@code AWS_REGION} of the environment. */
    public DsqlDataSourceBuilder region(String value) {
        region = value;
        return this;
    }

    /** Who to log in as: {@code admin}, which is the default, or a role of the database. */
    public DsqlDataSourceBuilder user(String value) {
        user = value;
        return this;
    }

    /** Where AWS credentials come from. Default: the SDK's default chain. It may block when asked; nobody who borrows waits for it. */
    public DsqlDataSourceBuilder credentialsProvider(AwsCredentialsProvider value) {
        credentialsProvider = value;
        return this;
    }

    /** The profile of the AWS configuration to take credentials from, in place of the default chain. */
    public DsqlDataSourceBuilder profile(String value) {
        profile = value;
        return this;
    }

    /** How long each token is to be accepted, from 1 second to 7 days. Default 15 minutes. */
    public DsqlDataSourceBuilder tokenDuration(Duration value) {
        tokenDuration = DsqlTokens.check("tokenDuration", value);
        return this;
    }

    /** A file with the certificate that vouches for the server. Default: those that Java trusts. */
    public DsqlDataSourceBuilder rootCertificate(Path value) {
        rootCertificate = value;
        return this;
    }

    /** One property for the PostgreSQL driver. Goes before what is set here. */
    public DsqlDataSourceBuilder driverProperty(String key, String value) {
        driverProperties.put(key, value);
        return this;
    }

    /**
     * The most connections held at once, in both modes. Default 100; from the environment what {@code DSQL_RESERVOIR_MAX_OPEN}
     * says or, for a reservoir, what {@code DSQL_RESERVOIR_TARGET_READY} says.
     */
    public DsqlDataSourceBuilder maxOpen(int value) {
        if (value < 1) {
            throw new IllegalArgumentException("maxOpen is " + value + "; allowed: 1 or more");
        }
        maxOpen = value;
        return this;
    }

    /** How many connections this process may open in a second. Default 10. */
    public DsqlDataSourceBuilder connectionRateLimit(double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException("connectionRateLimit is " + value + "; allowed: more than 0");
        }
        connectionRateLimit = value;
        return this;
    }

    /** How many connections may be opened at once after a quiet time. Default 100. */
    public DsqlDataSourceBuilder connectionBurstLimit(int value) {
        if (value < 1) {
            throw new IllegalArgumentException("connectionBurstLimit is " + value + "; allowed: 1 or more");
        }
        connectionBurstLimit = value;
        return this;
    }

    /** Where permits to connect come from, in place of a limit of this process alone. */
    public DsqlDataSourceBuilder permits(Permits value) {
        permits = value;
        return this;
    }

    /** Where leases come from, without which no connection is held open. Only in reservoir mode. Default: none are needed. */
    public DsqlDataSourceBuilder leases(Leases value) {
        leases = value;
        return this;
    }

    /** Where connections come from. Default {@link Mode#RESERVOIR}; from the environment, what {@code DSQL_RESERVOIR_ENABLED} says. */
    public DsqlDataSourceBuilder mode(Mode value) {
        mode = Objects.requireNonNull(value, "mode");
        return this;
    }

    /** Any setting of the reservoir. Called by {@link #build} after all that is set here, and only in reservoir mode. */
    public DsqlDataSourceBuilder reservoir(Consumer<ReservoirDataSourceBuilder> settings) {
        reservoirSettings.add(settings);
        return this;
    }

    /** Any setting of HikariCP. Called by {@link #build} after all that is set here, and only in standard mode. */
    public DsqlDataSourceBuilder hikari(Consumer<HikariConfig> settings) {
        hikariSettings.add(settings);
        return this;
    }

    /** Settings of environment variables, as at {@link DsqlDataSource#fromEnvironment(Map)}. */
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
     * Starts it. Blocks until the first connections stand ready: in reservoir mode for {@code initialFillTimeout} at most, in standard
     * mode for the warm-up, about a minute longer than the rate limit asks for at most. Does not fail because the cluster is away.
     *
     * @throws IllegalArgumentException if a setting is missing or not allowed
     * @throws IllegalStateException if a reservoir of that name runs, or this builder has been used
     */
    public DsqlDataSource build() {
        if (built) {
            throw new IllegalStateException("this builder has built its data source; take another for the next");
        }
        built = true;
        return new DataSourceAssembly(this).start();
    }
}
