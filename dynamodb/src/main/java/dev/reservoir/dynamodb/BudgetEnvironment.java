package dev.reservoir.dynamodb;

import dev.reservoir.cluster.LeaseMode;
import dev.reservoir.cluster.PermitMode;
import dev.reservoir.cluster.WhenAway;
import dev.reservoir.core.SettingException;
import dev.reservoir.core.util.BooleanParser;
import dev.reservoir.core.util.DurationParser;
import dev.reservoir.core.util.NearestName;
import dev.reservoir.dynamodb.store.DynamoTables;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the settings of a budget from environment variables. An empty one counts as not set. Never calls DynamoDB. */
final class BudgetEnvironment {
    private static final Logger log = LoggerFactory.getLogger(DynamoBudget.class);
    private static final String PREFIX = "DSQL_DISTRIBUTED_";

    static final String PERMITS = "DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED";
    static final String PERMIT_TABLE = "DSQL_DISTRIBUTED_RATE_LIMITER_TABLE";
    static final String RATE = "DSQL_DISTRIBUTED_RATE_LIMITER_LIMIT";
    static final String MAX_WAIT = "DSQL_DISTRIBUTED_RATE_LIMITER_MAX_WAIT";
    static final String PERMIT_MODE = "DSQL_DISTRIBUTED_RATE_LIMITER_MODE";
    static final String BURST = "DSQL_DISTRIBUTED_RATE_LIMITER_BURST";
    static final String LEASES = "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED";
    static final String LEASE_TABLE = "DSQL_DISTRIBUTED_CONN_LEASE_TABLE";
    static final String LIMIT = "DSQL_DISTRIBUTED_CONN_LIMIT";
    static final String LEASE_MODE = "DSQL_DISTRIBUTED_CONN_LEASE_MODE";
    static final String LEASE_TIME = "DSQL_DISTRIBUTED_CONN_LEASE_TIME";
    static final String OUTAGE = "DSQL_DISTRIBUTED_OUTAGE";
    static final String OUTAGE_RATE = "DSQL_DISTRIBUTED_OUTAGE_RATE";
    static final String OUTAGE_PROCESSES = "DSQL_DISTRIBUTED_OUTAGE_PROCESSES";
    static final String SERVICE_NAME = "DSQL_DISTRIBUTED_SERVICE_NAME";
    static final String ENDPOINT_URL = "DSQL_DISTRIBUTED_ENDPOINT_URL";

    private static final List<String> OF_PERMITS = List.of(PERMITS, PERMIT_TABLE, RATE, MAX_WAIT, PERMIT_MODE, BURST);
    private static final List<String> OF_LEASES = List.of(LEASES, LEASE_TABLE, LIMIT, LEASE_MODE, LEASE_TIME);
    private static final List<String> OF_BOTH =
            List.of(OUTAGE, OUTAGE_RATE, OUTAGE_PROCESSES, SERVICE_NAME, ENDPOINT_URL);

    static final List<String> KNOWN =
            Stream.of(OF_PERMITS, OF_LEASES, OF_BOTH).flatMap(List::stream).toList();

    /** Each of these asks for a budget. */
    private static final List<String> SWITCHES = List.of(PERMITS, LEASES);

    /** Where the tables are. The last one that is set counts. */
    private static final List<String> REGIONS = List.of("REGION", "AWS_REGION");

    /** The variable of each setting, for messages about its value. */
    private static final Map<String, String> VARIABLES = Map.of(
            "rate", RATE,
            "maxWait", MAX_WAIT,
            "burst", BURST,
            "limit", LIMIT,
            "leaseTime", LEASE_TIME,
            "localRate", OUTAGE_RATE,
            "expectedProcesses", OUTAGE_PROCESSES,
            "serviceName", SERVICE_NAME);

    private final Map<String, String> variables;

    private BudgetEnvironment(Map<String, String> variables) {
        this.variables = variables;
    }

    /**
     * Returns the variables that a budget is made from, or none if they ask for no budget. A switch that is neither on
     * nor off counts as off, with a warning, and is left out.
     */
    static Map<String, String> requested(Map<String, String> variables) {
        Map<String, String> some = new HashMap<>(variables);
        some.keySet().removeIf(name -> !name.startsWith(PREFIX) && !REGIONS.contains(name));
        some.keySet().removeIf(name -> SWITCHES.contains(name) && !BooleanParser.isOn(variables, name, log));
        return Collections.disjoint(some.keySet(), SWITCHES) ? Map.of() : Map.copyOf(some);
    }

    /** Starts the budget, or returns null if none is configured. */
    static @Nullable DynamoBudget start(Map<String, String> variables, String endpoint) {
        DynamoBudget.Builder builder = read(variables, endpoint);
        if (builder == null) {
            return null;
        }
        try {
            return builder.start();
        } catch (SettingException e) {
            throw e.named(VARIABLES.getOrDefault(e.key(), e.key()));
        }
    }

    /** Returns the settings, or null if no budget is configured. */
    static DynamoBudget.@Nullable Builder read(Map<String, String> variables, String endpoint) {
        return new BudgetEnvironment(variables).read(endpoint);
    }

    private DynamoBudget.@Nullable Builder read(String endpoint) {
        variables.keySet().stream().sorted().forEach(BudgetEnvironment::mentionIfUnknown);
        boolean permits = BooleanParser.isOn(variables, PERMITS, log);
        boolean leases = BooleanParser.isOn(variables, LEASES, log);
        if (!permits && !leases) {
            return null;
        }
        DynamoBudget.Builder builder = DynamoBudget.builder(endpoint);
        if (permits) {
            builder.permitTable(table(PERMIT_TABLE, PERMITS));
            number(RATE, builder::ratePerSecond);
            whole(BURST, builder::burst);
            duration(MAX_WAIT, builder::maxWait);
            choice(PERMIT_MODE, PermitMode.class, builder::permitMode);
        }
        if (leases) {
            builder.leaseTable(table(LEASE_TABLE, LEASES));
            whole(LIMIT, builder::limit);
            choice(LEASE_MODE, LeaseMode.class, builder::leaseMode);
        }
        duration(LEASE_TIME, builder::leaseTime);
        choice(OUTAGE, WhenAway.class, builder::whenAway);
        number(OUTAGE_RATE, builder::localRatePerSecond);
        whole(OUTAGE_PROCESSES, builder::expectedProcesses);
        text(SERVICE_NAME, builder::serviceName);
        read(ENDPOINT_URL, "such as http://localhost:8000", BudgetEnvironment::url, builder::endpointOverride);
        REGIONS.forEach(variable -> text(variable, builder::region));
        return builder;
    }

    private static void mentionIfUnknown(String variable) {
        if (variable.startsWith(PREFIX) && !KNOWN.contains(variable)) {
            log.warn(
                    "Reservoir: environment variable not known, ignored  key={} nearest={}",
                    variable,
                    NearestName.of(variable, KNOWN));
        }
    }

    private String table(String variable, String because) {
        String name = value(variable);
        if (name.isEmpty()) {
            throw SettingException.missing(variable, "the name of a DynamoDB table, as " + because + " is on");
        }
        if (!name.matches(DynamoTables.NAME_PATTERN)) {
            throw SettingException.unreadable(variable, name, "a table's name: " + DynamoTables.NAME_ALLOWED);
        }
        return name;
    }

    private void text(String variable, Consumer<String> setting) {
        read(variable, "any text", text -> text, setting);
    }

    private void number(String variable, Consumer<Double> setting) {
        read(variable, "a number", Double::valueOf, setting);
    }

    private void whole(String variable, Consumer<Integer> setting) {
        read(variable, "a whole number", Integer::valueOf, setting);
    }

    private void duration(String variable, Consumer<Duration> setting) {
        read(variable, "a duration such as 30s or 1m30s", DurationParser::parse, setting);
    }

    private <E extends Enum<E>> void choice(String variable, Class<E> type, Consumer<E> setting) {
        String allowed = Arrays.stream(type.getEnumConstants())
                .map(BudgetEnvironment::name)
                .collect(Collectors.joining(" or "));
        Function<String, @Nullable E> reading = text -> Arrays.stream(type.getEnumConstants())
                .filter(constant ->
                        name(constant).equals(text.toLowerCase(Locale.ROOT).replace('_', '-')))
                .findFirst()
                .orElse(null);
        read(variable, allowed, reading, setting);
    }

    private static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static @Nullable URI url(String text) {
        try {
            URI url = new URI(text);
            boolean web = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            return web && url.getHost() != null && url.getRawUserInfo() == null ? url : null;
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** Passes the parsed value to the setting, if the variable is set. Throws if the text cannot be parsed. */
    private <T> void read(
            String variable, String allowed, Function<String, ? extends @Nullable T> meaning, Consumer<T> setting) {
        String text = value(variable);
        if (text.isEmpty()) {
            return;
        }
        T value;
        try {
            value = meaning.apply(text);
        } catch (NumberFormatException e) {
            throw SettingException.unreadable(variable, text, allowed);
        }
        if (value == null) {
            // A URL may contain a password.
            throw SettingException.unreadable(variable, text.contains("@") ? "***" : text, allowed);
        }
        setting.accept(value);
    }

    private String value(String variable) {
        return variables.getOrDefault(variable, "").strip();
    }
}
