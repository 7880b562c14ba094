package dev.reservoir.dynamodb;

import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.BudgetProvider;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Offers budgets on DynamoDB to whoever has environment variables that ask for one. Found by its name, not to be used otherwise. */
public final class DynamoBudgetProvider implements BudgetProvider {

    /** For the service loader. */
    public DynamoBudgetProvider() {}

    @Override
    public @Nullable Budget fromEnvironment(Map<String, String> variables, String endpoint) {
        return DynamoBudget.fromEnvironment(variables, endpoint);
    }
}
