package dev.reservoir.jdbc;

import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.Budgets;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the budget that environment variables ask for: one that this process shares with others. */
final class SharedBudget {
    /** Either of these asks for a budget. */
    static final List<String> SWITCHES =
            List.of("DSQL_DISTRIBUTED_RATE_LIMITER_ENABLED", "DSQL_DISTRIBUTED_CONN_LEASE_ENABLED");

    private static final String ENDPOINT = "CLUSTER_ENDPOINT";
    private static final String PREFIX = "DSQL_DISTRIBUTED_";
    private static final Set<String> OTHERS = Set.of(ENDPOINT, "REGION", "AWS_REGION");

    private SharedBudget() {}

    static boolean isWanted(Map<String, String> variables) {
        boolean wanted = false;
        for (String name : SWITCHES) {
            String text = variables.getOrDefault(name, "").strip();
            Boolean value = SettingKeys.asBoolean(text);
            if (value == null && !text.isEmpty()) {
                // Whoever takes it for "no" lets a whole fleet run without a limit.
                throw new IllegalArgumentException(name + " is " + text + "; allowed: true or false");
            }
            wanted |= Boolean.TRUE.equals(value);
        }
        return wanted;
    }

    /** Those variables that a budget is made from; others may be secrets and are not kept. */
    static Map<String, String> relevant(Map<String, String> variables) {
        return variables.entrySet().stream()
                .filter(variable -> variable.getKey().startsWith(PREFIX) || OTHERS.contains(variable.getKey()))
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** The budget, or null if none is wanted. */
    static @Nullable Budget open(Map<String, String> variables, @Nullable String url) {
        return isWanted(variables)
                ? open(variables, url, ServiceLoader.load(Budgets.class, SharedBudget.class.getClassLoader()))
                : null;
    }

    static Budget open(Map<String, String> variables, @Nullable String url, Iterable<Budgets> makers) {
        String endpoint = endpoint(variables, url);
        for (Budgets maker : makers) {
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
