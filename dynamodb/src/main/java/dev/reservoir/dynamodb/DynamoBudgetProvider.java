package dev.reservoir.dynamodb;

import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.BudgetProvider;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Provides budgets on DynamoDB if environment variables ask for one. For the service loader only. */
public final class DynamoBudgetProvider implements BudgetProvider {

    /** Called by the service loader. */
    public DynamoBudgetProvider() {}

    @Override
    public Map<String, String> requested(Map<String, String> variables) {
        return BudgetEnvironment.requested(variables);
    }

    @Override
    public @Nullable Budget fromEnvironment(Map<String, String> variables, String endpoint) {
        return DynamoBudget.fromEnvironment(variables, endpoint);
    }
}
