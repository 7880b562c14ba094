package dev.reservoir.dsql;

import dev.reservoir.core.spi.Budget;
import dev.reservoir.core.spi.BudgetProvider;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Permits;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** A budget for variables that name a table of this test, and none for others. */
public final class FakeBudgets implements BudgetProvider {
    public static final String TABLE = "table-of-the-test";

    /** The last one made. */
    public static volatile Fake last;

    @Override
    public Map<String, String> requested(Map<String, String> variables) {
        return TABLE.equals(variables.get("DSQL_DISTRIBUTED_RATE_LIMITER_TABLE")) ? variables : Map.of();
    }

    @Override
    public Budget fromEnvironment(Map<String, String> variables, String endpoint) {
        if (!TABLE.equals(variables.get("DSQL_DISTRIBUTED_RATE_LIMITER_TABLE"))) {
            return null;
        }
        last = new Fake(variables, endpoint);
        return last;
    }

    /** Counts what is asked of it. */
    public static final class Fake implements Budget, Permits {
        public final Map<String, String> variables;
        public final String endpoint;
        public final AtomicInteger permitsGiven = new AtomicInteger();
        public volatile boolean closed;

        Fake(Map<String, String> variables, String endpoint) {
            this.variables = variables;
            this.endpoint = endpoint;
        }

        @Override
        public Permits permits() {
            return this;
        }

        @Override
        public Leases leases() {
            return null;
        }

        @Override
        public CompletionStage<Permit> acquire(Urgency urgency) {
            permitsGiven.incrementAndGet();
            return CompletableFuture.completedFuture(() -> {});
        }

        @Override
        public double ratePerSecond() {
            return 100;
        }

        @Override
        public String describe() {
            return "the cluster's rate";
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
