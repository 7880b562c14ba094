package dev.reservoir.jdbc.config;

import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.BudgetProvider;
import dev.reservoir.core.util.BooleanParser;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.error.UrlHost;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the budget that environment variables ask for, which this process shares with others. Never creates one that no
 * variable asks for.
 */
public final class SharedBudget {
    /** Each of these variables asks for a budget. */
    static final List<String> SWITCHES =
            List.of("DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED");

    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);
    private static final String ENDPOINT = "CLUSTER_ENDPOINT";
    private static final String PREFIX = "DSQL_DISTRIBUTED_";
    private static final Set<String> OTHERS = Set.of(ENDPOINT, "REGION", "AWS_REGION");

    private SharedBudget() {}

    /**
     * Returns the variables that a budget is made from, or null if none is wanted. A switch that is neither on nor off
     * counts as off, with a warning, and is left out.
     */
    static @Nullable Map<String, String> wanted(Map<String, String> variables) {
        Map<String, String> some = new HashMap<>(relevant(variables));
        boolean wanted = false;
        for (String name : SWITCHES) {
            if (BooleanParser.isOn(variables, name, log)) {
                wanted = true;
            } else {
                some.remove(name);
            }
        }
        return wanted ? Map.copyOf(some) : null;
    }

    /** Returns the variables that a budget is made from. Others may be secrets and are not kept. */
    static Map<String, String> relevant(Map<String, String> variables) {
        return variables.entrySet().stream()
                .filter(variable -> variable.getKey().startsWith(PREFIX) || OTHERS.contains(variable.getKey()))
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Opens the budget that the variables of {@link #wanted} ask for. */
    public static Budget open(Map<String, String> variables, @Nullable String url) {
        return open(variables, url, ServiceLoader.load(BudgetProvider.class, SharedBudget.class.getClassLoader()));
    }

    public static Budget open(Map<String, String> variables, @Nullable String url, Iterable<BudgetProvider> makers) {
        String endpoint = endpoint(variables, url);
        for (BudgetProvider maker : makers) {
            Budget budget = maker.fromEnvironment(variables, endpoint);
            if (budget != null) {
                return budget;
            }
        }
        String given =
                SWITCHES.stream().filter(variables::containsKey).findFirst().orElse(SWITCHES.get(0));
        throw new IllegalArgumentException(given + " is " + variables.get(given)
                + "; allowed: true only with reservoir-dynamodb on the class path");
    }

    private static String endpoint(Map<String, String> variables, @Nullable String url) {
        String given = variables.getOrDefault(ENDPOINT, "").strip();
        if (!given.isEmpty()) {
            return given;
        }
        String host = UrlHost.of(url);
        if (!host.isEmpty()) {
            return host;
        }
        throw new IllegalArgumentException(ENDPOINT
                + " is missing; allowed: the cluster's host name, which the url does not tell, for the budget that "
                + String.join(" or ", SWITCHES) + " asks for");
    }
}
