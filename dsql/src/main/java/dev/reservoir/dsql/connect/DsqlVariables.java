package dev.reservoir.dsql.connect;

import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.BudgetProvider;
import dev.reservoir.core.util.BooleanParser;
import dev.reservoir.core.util.DurationParser;
import dev.reservoir.dsql.DsqlDataSource;
import dev.reservoir.dsql.endpoint.Endpoint;
import dev.reservoir.dsql.token.TokenDuration;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The environment variables of a DSQL client. An empty variable counts as not set. A value that cannot be parsed is
 * rejected with the name, the value and the allowed values. The mode switches are an exception: {@link #read} treats an
 * invalid switch as off. The variables of a reservoir and of a cluster's budget are parsed where those are built.
 */
public final class DsqlVariables {
    public static final String ENDPOINT = "CLUSTER_ENDPOINT";
    public static final String USER = "CLUSTER_USER";
    static final String TOKEN_DURATION = "DSQL_TOKEN_DURATION";
    public static final String ENABLED = "DSQL_RESERVOIR_ENABLED";
    static final String RATE = "DSQL_CONNECTION_RATE_LIMIT";
    static final String BURST = "DSQL_CONNECTION_BURST_LIMIT";
    static final String STAGGERED = "DSQL_STAGGERED_STARTUP";
    static final String STAGGERED_MAX = "DSQL_STAGGERED_STARTUP_MAX_DELAY";
    static final String CLUSTER_RATE = "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED";
    static final String CLUSTER_COUNT = "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED";

    public static final String NAME = "DSQL_RESERVOIR_NAME";
    static final String MAX_OPEN = "DSQL_RESERVOIR_MAX_OPEN";

    private static final Logger log = LoggerFactory.getLogger(DsqlDataSource.class);
    private static final List<String> SWITCHES = List.of(ENABLED, CLUSTER_RATE, CLUSTER_COUNT);

    /** Variables of reservoirs for other databases. For DSQL the endpoint, the user and the tokens replace them. */
    private static final List<String> NOT_USED = List.of(
            "DSQL_RESERVOIR_URL",
            "DSQL_RESERVOIR_USERNAME",
            "DSQL_RESERVOIR_PASSWORD",
            "DSQL_RESERVOIR_CREDENTIALS",
            "DSQL_RESERVOIR_DRIVER_CLASS_NAME",
            "DSQL_RESERVOIR_DATA_SOURCE_CLASS_NAME");

    private static final List<String> TARGETS =
            List.of("DSQL_RESERVOIR_TARGET_READY", "DSQL_RESERVOIR_LOW_WATERMARK", "DSQL_RESERVOIR_MIN_OPEN");
    private static final Duration STAGGERED_MAX_DEFAULT = Duration.ofSeconds(5);
    private static final Duration DAY = Duration.ofDays(1);

    private final Map<String, String> all;

    public DsqlVariables(Map<String, String> all) {
        this.all = Map.copyOf(all);
    }

    /**
     * Reads an environment whose switches choose the modes. A switch that is neither on nor off counts as off, is
     * logged as a warning, and is left out. Variables that have no meaning for a cluster are also left out.
     */
    public static DsqlVariables read(Map<String, String> given) {
        Map<String, String> some = new HashMap<>(given);
        some.keySet().removeIf(name -> SWITCHES.contains(name) && !BooleanParser.isOn(given, name, log));
        for (String name : NOT_USED) {
            if (!some.getOrDefault(name, "").isBlank()) {
                log.warn("DSQL variable not used, {}, {} and tokens take its place  key={}", ENDPOINT, USER, name);
            }
            some.remove(name);
        }
        return new DsqlVariables(some);
    }

    /**
     * Returns the variables for a reservoir, with reservoir mode switched on. The endpoint stays as the environment
     * gives it, with its port, because Go processes count leases by that text. If the builder chose another endpoint,
     * the result contains its host.
     */
    public Map<String, String> ofReservoir(Endpoint cluster) {
        Map<String, String> same = new HashMap<>(all);
        String given = text(ENDPOINT);
        boolean isThisCluster = given != null && Endpoint.parse(ENDPOINT, given).equals(cluster);
        same.put(ENDPOINT, isThisCluster ? given : cluster.host());
        same.put(ENABLED, "true");
        return same;
    }

    /**
     * Returns this process's part of the cluster's budget of connects, for connections that are opened outside a
     * reservoir, or null if the variables ask for none. Only a reservoir takes leases. The caller must close it.
     *
     * @param host the cluster's host name, by which processes share the budget
     * @param leasesIgnored the text of the warning if the variables also ask for leases
     */
    public @Nullable Budget sharedRate(String host, String leasesIgnored) {
        if (isOn(CLUSTER_COUNT)) {
            log.warn("{}, only a data source with {}=true does  key={}", leasesIgnored, ENABLED, CLUSTER_COUNT);
        }
        if (!isOn(CLUSTER_RATE)) {
            return null;
        }
        for (var provider : ServiceLoader.load(BudgetProvider.class, DsqlVariables.class.getClassLoader())) {
            Budget budget = provider.fromEnvironment(withoutLeases(), host);
            if (budget != null) {
                return budget;
            }
        }
        throw new IllegalArgumentException(
                CLUSTER_RATE + " is true; allowed: only with reservoir-dynamodb on the class path");
    }

    Map<String, String> withoutLeases() {
        Map<String, String> some = new HashMap<>(all);
        some.remove(CLUSTER_COUNT);
        return some;
    }

    /** Returns the value, or null if the variable is not set. */
    public @Nullable String text(String variable) {
        String text = all.getOrDefault(variable, "").strip();
        return text.isEmpty() ? null : text;
    }

    public @Nullable String region() {
        String first = text("REGION");
        return first != null ? first : text("AWS_REGION");
    }

    /** Returns the largest number of open connections, or null if it is not set. */
    public @Nullable Integer maxOpen() {
        return number(MAX_OPEN, Integer::valueOf, "a whole number", size -> size >= 1, "1 or more");
    }

    /** Parses a number that must pass a test. Returns null if the variable is not set. */
    private <N> @Nullable N number(
            String variable, Function<String, N> parser, String kind, Predicate<N> test, String allowed) {
        String text = text(variable);
        if (text == null) {
            return null;
        }
        try {
            N number = parser.apply(text);
            if (test.test(number)) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw refused(variable, text, kind);
        }
        throw refused(variable, text, allowed);
    }

    /** Returns the most open connections of a reservoir. If it is not set, it is the largest of the targets. */
    public int maxOpenOfReservoir(int byDefault) {
        Integer told = maxOpen();
        if (told != null) {
            return told;
        }
        int largest = TARGETS.stream()
                .map(this::text)
                // The reservoir's builder rejects a value that is not a number.
                .filter(text -> text != null && text.matches("[0-9]{1,9}"))
                .mapToInt(Integer::parseInt)
                .max()
                .orElse(0);
        return largest > 0 ? largest : byDefault;
    }

    public boolean isReservoirMode() {
        return isOn(ENABLED);
    }

    boolean isOn(String variable) {
        return Boolean.TRUE.equals(BooleanParser.parse(all.getOrDefault(variable, "")));
    }

    /** Returns the token duration, in seconds or with its unit, or null if it is not set. */
    public @Nullable Duration tokenDuration() {
        String text = text(TOKEN_DURATION);
        return text == null ? null : TokenDuration.parse(TOKEN_DURATION, text);
    }

    public double ratePerSecond(double byDefault) {
        Double rate = number(RATE, Double::valueOf, "a number", it -> it > 0 && Double.isFinite(it), "more than 0");
        return rate == null ? byDefault : rate;
    }

    public int burst(int byDefault) {
        Integer burst = number(BURST, Integer::valueOf, "a whole number", it -> it >= 1, "1 or more");
        return burst == null ? byDefault : burst;
    }

    /** Returns the longest random delay before the first connect. It keeps processes from starting all at once. */
    public Duration startDelayMax() {
        String text = text(STAGGERED);
        Boolean staggered = text == null ? Boolean.TRUE : BooleanParser.parse(text);
        if (staggered == null) {
            throw refused(STAGGERED, String.valueOf(text), "true or false");
        }
        String max = text(STAGGERED_MAX);
        Duration most = max == null ? STAGGERED_MAX_DEFAULT : DurationParser.parse(max);
        if (most == null || most.isNegative() || most.compareTo(DAY) > 0) {
            throw refused(STAGGERED_MAX, String.valueOf(max), "a duration such as 5s, up to 24h");
        }
        return staggered ? most : Duration.ZERO;
    }

    private static IllegalArgumentException refused(String variable, String text, String allowed) {
        return new IllegalArgumentException(variable + " is \"" + text + "\"; allowed: " + allowed);
    }
}
