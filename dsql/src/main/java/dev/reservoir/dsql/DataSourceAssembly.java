package dev.reservoir.dsql;

import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.dsql.DsqlDataSource.Mode;
import dev.reservoir.dsql.connect.BackingPool;
import dev.reservoir.dsql.connect.ClusterRate;
import dev.reservoir.dsql.connect.DsqlVariables;
import dev.reservoir.dsql.endpoint.ClusterLogin;
import dev.reservoir.dsql.endpoint.DsqlLimits;
import dev.reservoir.dsql.endpoint.Endpoint;
import dev.reservoir.dsql.standard.StandardPool;
import dev.reservoir.dsql.token.DsqlTokens;
import dev.reservoir.dsql.token.SharedTokens;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds a data source from the settings of its builder. In standard mode it never loads a class of the reservoir. */
final class DataSourceAssembly {
    private static final String HIKARI = "com.zaxxer.hikari.HikariDataSource";

    private static final String UNCOUNTED = "DSQL standard mode does not count connections over the cluster";

    /** The HikariCP that this module is built with and depends on. A user may exclude it. */
    static final String HIKARI_ARTIFACT = "com.zaxxer:HikariCP:7.1.0";

    private static final AtomicInteger UNNAMED = new AtomicInteger();
    private static final Logger log = LoggerFactory.getLogger(DsqlDataSource.class);

    private final DsqlDataSourceBuilder given;
    private final ClusterLogin cluster;
    private final String name;

    DataSourceAssembly(DsqlDataSourceBuilder given) {
        this.given = given;
        cluster = cluster(given);
        String named =
                given.name == null && given.variables != null ? given.variables.text(DsqlVariables.NAME) : given.name;
        if (named != null && !named.matches("[A-Za-z0-9._-]{1,100}")) {
            throw new IllegalArgumentException(
                    "name is \"" + named + "\"; allowed: 1 to 100 letters, digits, dots, dashes and underscores");
        }
        name = named == null ? "dsql-" + UNNAMED.incrementAndGet() : named;
    }

    private static ClusterLogin cluster(DsqlDataSourceBuilder given) {
        Endpoint endpoint = given.endpoint;
        if (endpoint == null) {
            throw new IllegalArgumentException("endpoint is missing; allowed: the host name of a cluster, such as"
                    + " <id>.dsql.us-east-1.on.aws, by endpoint, by url or by " + DsqlVariables.ENDPOINT);
        }
        return new ClusterLogin(
                endpoint,
                region(given, endpoint),
                given.database == null ? ClusterLogin.DATABASE_DEFAULT : given.database,
                given.user == null ? ClusterLogin.ADMIN : given.user,
                given.rootCertificate,
                Map.copyOf(given.driverProperties));
    }

    /**
     * Returns the region: the builder's if set, else the one in the host name, else the environment's. The host name
     * is more reliable than the environment.
     */
    private static String region(DsqlDataSourceBuilder given, Endpoint endpoint) {
        if (given.region != null) {
            return given.region;
        }
        String ofHost = endpoint.region();
        DsqlVariables variables = given.variables != null ? given.variables : new DsqlVariables(System.getenv());
        String ofEnvironment = variables.region();
        if (ofHost != null) {
            if (given.variables != null && ofEnvironment != null && !ofEnvironment.equals(ofHost)) {
                log.warn(
                        "DSQL region of the environment not used, the endpoint names another  region={} endpoint={}",
                        ofEnvironment,
                        endpoint.host());
            }
            return ofHost;
        }
        if (ofEnvironment != null) {
            return ofEnvironment;
        }
        throw new IllegalArgumentException("region is missing, and the endpoint " + endpoint.host()
                + " does not tell it; allowed: a region such as us-east-1, by region, REGION or AWS_REGION");
    }

    DsqlDataSource start() {
        if (given.mode == Mode.STANDARD) {
            requireHikari();
        }
        Duration duration = given.tokenDuration == null ? DsqlTokens.DURATION_DEFAULT : given.tokenDuration;
        SharedTokens held = SharedTokens.hold(cluster, given.credentialsProvider, given.profile, duration);
        boolean started = false;
        try {
            BackingPool pool = given.mode == Mode.STANDARD
                    ? standard(held.tokens())
                    : ReservoirAssembly.start(given, name, cluster, held.tokens());
            started = true;
            return new DsqlDataSource(name, cluster.endpoint(), given.mode, held, pool);
        } finally {
            if (!started) {
                held.close();
            }
        }
    }

    private BackingPool standard(DsqlTokens tokens) {
        if (given.leases != null) {
            throw new IllegalArgumentException("leases are given in standard mode; allowed: only in reservoir mode");
        }
        DsqlVariables variables = given.variables != null ? given.variables : new DsqlVariables(Map.of());
        double rate = given.connectionRateLimit != null
                ? given.connectionRateLimit
                : variables.ratePerSecond(DsqlLimits.RATE_PER_SECOND);
        int burst = given.connectionBurstLimit != null ? given.connectionBurstLimit : variables.burst(DsqlLimits.BURST);
        Integer told = given.maxOpen != null ? given.maxOpen : variables.maxOpen();
        int size = told != null ? told : DsqlLimits.SIZE_DEFAULT;
        StandardPool.Plan plan = new StandardPool.Plan(name, size, startDelay(), rate, burst, given.hikariSettings);
        Budget budget = given.permits == null
                ? ClusterRate.budget(variables, cluster.endpoint().host(), UNCOUNTED)
                : null;
        boolean started = false;
        try {
            Permits shared = budget == null ? given.permits : budget.permits();
            BackingPool pool = StandardPool.start(plan, cluster, tokens, shared, budget);
            started = true;
            return pool;
        } finally {
            if (!started && budget != null) {
                budget.close();
            }
        }
    }

    private Duration startDelay() {
        DsqlVariables variables = given.variables;
        if (variables == null) {
            return Duration.ZERO;
        }
        long most = variables.startDelayMax().toMillis();
        return most == 0
                ? Duration.ZERO
                : Duration.ofMillis(ThreadLocalRandom.current().nextLong(most));
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
