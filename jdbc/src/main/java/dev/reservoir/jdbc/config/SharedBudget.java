package dev.reservoir.jdbc.config;

import dev.reservoir.core.SettingException;
import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.BudgetProvider;
import dev.reservoir.core.util.BooleanParser;
import dev.reservoir.jdbc.EnvironmentNames;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.jdbc.error.UrlHost;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A budget that environment variables ask for, which this process shares with others. Never creates one that no
 * variable asks for.
 */
public final class SharedBudget {
    private static final Logger log = LoggerFactory.getLogger(ReservoirDataSource.class);
    private static final String ENDPOINT = "CLUSTER_ENDPOINT";

    private final BudgetProvider provider;
    private final Map<String, String> variables;
    private final String endpoint;

    private SharedBudget(BudgetProvider provider, Map<String, String> variables, String endpoint) {
        this.provider = provider;
        this.variables = variables;
        this.endpoint = endpoint;
    }

    /**
     * Returns the budget that these variables ask for, or null if they ask for none.
     *
     * @throws SettingException if they ask for one and there is no provider
     */
    static @Nullable SharedBudget requested(
            Map<String, String> variables, EnvironmentNames names, Iterable<BudgetProvider> providers) {
        for (BudgetProvider provider : providers) {
            Map<String, String> some = provider.requested(variables);
            if (!some.isEmpty()) {
                String endpoint = variables.getOrDefault(ENDPOINT, "").strip();
                return new SharedBudget(provider, some, endpoint);
            }
        }
        // A provider has warned of a switch that is neither on nor off.
        boolean isAlone = !providers.iterator().hasNext();
        names.budgetSwitches().forEach((name, library) -> {
            boolean isOn = isAlone
                    ? BooleanParser.isOn(variables, name, log)
                    : Boolean.TRUE.equals(BooleanParser.parse(variables.getOrDefault(name, "")));
            if (isOn) {
                throw new SettingException(name, "true", "true only with " + library + " on the class path");
            }
        });
        return null;
    }

    /**
     * Opens the budget. May block for some seconds the first time, while libraries are loaded.
     *
     * @param url whose host is the endpoint, unless the environment names another
     */
    public Budget open(@Nullable String url) {
        String host = endpoint.isEmpty() ? UrlHost.of(url) : endpoint;
        if (host.isEmpty()) {
            throw SettingException.missing(
                    ENDPOINT,
                    "the host name of the cluster, which the url does not tell, for the budget that processes share");
        }
        Budget budget = provider.fromEnvironment(variables, host);
        if (budget == null) {
            throw new SettingException(
                    String.join(", ", variables.keySet()), "set", "a budget, which " + provider + " does not give");
        }
        return budget;
    }
}
