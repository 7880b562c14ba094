package dev.reservoir.dynamodb;

import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.Budgets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Offers budgets on DynamoDB to whoever has environment variables that ask for one. Found by its name, not to be used otherwise. */
public final class DynamoBudgets implements Budgets {

    /** For the service loader. */
    public DynamoBudgets() {}

    @Override
    public @Nullable Budget fromEnvironment(Map<String, String> variables, String endpoint) {
        return DynamoBudget.fromEnvironment(variables, endpoint);
    }
}
