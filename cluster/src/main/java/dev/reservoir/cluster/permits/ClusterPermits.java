package dev.reservoir.cluster.permits;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.core.spi.Permits;
import java.util.concurrent.CompletionStage;

/** Permits of a cluster, in one of the modes. */
public interface ClusterPermits extends Permits {
    /** Returns the counters. Called on the budget's serial executor. */
    BudgetStats.Permits stats();

    /**
     * Refuses all requests from now on and gives back what can be given back. The stage completes when that is done.
     * Called on the budget's serial executor.
     */
    CompletionStage<Void> close();
}
