package dev.reservoir.core.spi;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates budgets from environment variables. {@link java.util.ServiceLoader} finds the providers. */
public interface BudgetProvider {

    /**
     * The variables from which a budget is made, or none if these variables request no budget. Other variables may be
     * secrets and are left out. Does not block.
     */
    Map<String, String> requested(Map<String, String> variables);

    /**
     * The budget of the cluster behind this endpoint, or null if the variables request none. May block for some seconds
     * the first time, while libraries are loaded. Never waits for the store.
     *
     * @param endpoint the host that connections go to
     * @throws IllegalArgumentException if the value of a variable is not allowed; the message names the variable, its
     *     value and the allowed values
     */
    @Nullable
    Budget fromEnvironment(Map<String, String> variables, String endpoint);
}
