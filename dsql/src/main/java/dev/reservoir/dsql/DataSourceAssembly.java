package dev.reservoir.dsql;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.dsql.DsqlDataSource.Mode;
import dev.reservoir.dsql.connect.BackingPool;
import dev.reservoir.dsql.connect.DsqlVariables;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import dev.reservoir.dsql.endpoint.DsqlLimits;
import dev.reservoir.dsql.endpoint.Endpoint;
import dev.reservoir.dsql.standard.StandardPool;
import dev.reservoir.dsql.token.SharedTokens;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds a data source from the settings of its builder. In standard mode it never loads a class of the reservoir. */
final class DataSourceAssembly {
    private static final String HIKARI = "com.zaxxer.hikari.HikariDataSource";

    private static final String LEASES_IGNORED = "DSQL standard mode does not count connections over the cluster";

    /** The HikariCP that this module is built with and depends on. A user may exclude it. */
    static final String HIKARI_ARTIFACT = "com.zaxxer:HikariCP:7.1.0";

    private static final AtomicInteger UNNAMED = new AtomicInteger();
    private static final Logger log = LoggerFactory.getLogger(DsqlDataSource.class);

    private final DsqlDataSourceBuilder settings;
    private final ClusterLogin cluster;
    private final String name;

    DataSourceAssembly(DsqlDataSourceBuilder settings) {
        this.settings = settings;
        cluster = cluster(settings);
        String named = settings.name == null && settings.variables != null
                ? settings.variables.text(DsqlVariables.NAME)
                : settings.name;
        if (named != null && !named.matches("[A-Za-z0-9._-]{1,100}")) {
            throw SettingException.unreadable("name", named, "1 to 100 letters, digits, dots, dashes and underscores");
        }
        name = named == null ? "dsql-" + UNNAMED.incrementAndGet() : named;
    }

    private static ClusterLogin cluster(DsqlDataSourceBuilder settings) {
        Endpoint endpoint = settings.endpoint;
        if (endpoint == null) {
            throw SettingException.missing(
                    "endpoint",
                    "the host name of a cluster, such as <id>.dsql.us-east-1.on.aws. Set endpoint, url or "
                            + DsqlVariables.ENDPOINT);
        }
        return new ClusterLogin(
                endpoint,
                region(settings, endpoint),
                settings.database,
                settings.user,
                settings.rootCertificate,
                Map.copyOf(settings.driverProperties));
    }

    /**
     * Returns the region: the builder's if set, else the one in the host name, else the environment's. The host name is
     * more reliable than the environment.
     */
    private static String region(DsqlDataSourceBuilder settings, Endpoint endpoint) {
        if (settings.region != null) {
            return settings.region;
        }
        String regionOfHost = endpoint.region();
        String regionOfEnvironment = Objects.requireNonNullElseGet(
                        settings.variables, () -> new DsqlVariables(System.getenv()))
                .region();
        if (regionOfHost != null) {
            if (settings.variables != null
                    && regionOfEnvironment != null
                    && !regionOfEnvironment.equals(regionOfHost)) {
                log.warn(
                        "DSQL region of the environment not used, the endpoint names another  region={} endpoint={}",
                        regionOfEnvironment,
                        endpoint.host());
            }
            return regionOfHost;
        }
        if (regionOfEnvironment != null) {
            return regionOfEnvironment;
        }
        throw SettingException.missing(
                "region",
                "a region such as us-east-1. The endpoint " + endpoint.host()
                        + " does not contain it; set region, REGION or AWS_REGION");
    }

    DsqlDataSource start() {
        if (settings.mode == Mode.STANDARD) {
            requireHikari();
        }
        SharedTokens tokens =
                SharedTokens.acquire(cluster, settings.credentialsProvider, settings.profile, settings.tokenDuration);
        try {
            BackingPool pool = settings.mode == Mode.STANDARD
                    ? standard(tokens.tokens())
                    : ReservoirPool.start(settings, name, cluster, tokens.tokens());
            return new DsqlDataSource(name, cluster.endpoint(), settings.mode, tokens, pool);
        } catch (Throwable e) {
            tokens.close();
            throw e;
        }
    }

    private BackingPool standard(DsqlTokens tokens) {
        if (settings.leases != null) {
            throw new IllegalArgumentException("leases are given in standard mode; allowed: only in reservoir mode");
        }
        DsqlVariables variables = Objects.requireNonNullElse(settings.variables, new DsqlVariables(Map.of()));
        double rate = settings.connectionRateLimit != null
                ? settings.connectionRateLimit
                : variables.ratePerSecond(DsqlLimits.RATE_PER_SECOND_DEFAULT);
        int burst = settings.connectionBurstLimit != null
                ? settings.connectionBurstLimit
                : variables.burst(DsqlLimits.BURST_DEFAULT);
        Integer maxOpen = settings.maxOpen != null ? settings.maxOpen : variables.maxOpen();
        int size = Objects.requireNonNullElse(maxOpen, DsqlLimits.MAX_OPEN_DEFAULT);
        StandardPool.Plan plan = new StandardPool.Plan(name, size, startDelay(), rate, burst, settings.hikariSettings);
        Budget budget = settings.permits == null
                ? variables.sharedRate(cluster.endpoint().host(), LEASES_IGNORED)
                : null;
        try {
            Permits shared = budget == null ? settings.permits : budget.permits();
            return StandardPool.start(plan, cluster, tokens, shared, budget);
        } catch (Throwable e) {
            if (budget != null) {
                budget.close();
            }
            throw e;
        }
    }

    private Duration startDelay() {
        long maxMillis = settings.variables == null
                ? 0
                : settings.variables.startDelayMax().toMillis();
        return Duration.ofMillis(
                maxMillis == 0 ? 0 : ThreadLocalRandom.current().nextLong(maxMillis));
    }

    private static void requireHikari() {
        try {
            Class.forName(HIKARI, false, DataSourceAssembly.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(
                    "mode is STANDARD, by the builder or because " + DsqlVariables.ENABLED
                            + " is not true; allowed: only with "
                            + HIKARI_ARTIFACT + " on the class path. Add that dependency, or set "
                            + DsqlVariables.ENABLED
                            + "=true",
                    e);
        }
    }
}
