package dev.reservoir.core.spi;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes budgets as environment variables ask for them. Found by {@link java.util.ServiceLoader}. */
public interface BudgetProvider {

    /**
     * The budget of the cluster behind this endpoint, or null if the variables do not ask for one. May block for some
     * seconds the first time, while libraries are loaded; never waits for the store.
     *
     * @param endpoint the host that connections go to
     * @throws IllegalArgumentException if a variable's value is not allowed; the message names it, its value and what is
     */
    @Nullable
    Budget fromEnvironment(Map<String, String> variables, String endpoint);
}
