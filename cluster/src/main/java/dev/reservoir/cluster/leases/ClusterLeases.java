package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.membership.MemberHoldings;
import dev.reservoir.core.spi.Leases;

/** Leases of a cluster, in one of the modes. */
public interface ClusterLeases extends Leases, MemberHoldings {
    /** Returns the counts. Called on the budget's serial executor. */
    BudgetStats.Leases stats();

    /** Refuses all requests from now on. Called on the budget's serial executor. */
    void close();
}
