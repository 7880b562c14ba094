package dev.reservoir.cluster.permits;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.core.spi.Permits;
import java.util.concurrent.CompletionStage;

/** Permits of a cluster, in one of the modes. */
public interface ClusterPermits extends Permits {
    /** At the desk. */
    BudgetStats.Permits stats();

    /** Refuses all from now on, and gives back what can be given back; the stage completes when that is done. At the desk. */
    CompletionStage<Void> close();
}
