package dev.reservoir.cluster.leases;

import dev.reservoir.cluster.BudgetStats;
import dev.reservoir.cluster.membership.MemberHoldings;
import dev.reservoir.core.spi.Leases;

/** Leases of a cluster, in one of the modes. */
public interface ClusterLeases extends Leases, MemberHoldings {
    /** At the desk. */
    BudgetStats.Leases stats();

    /** Refuses all from now on. At the desk. */
    void close();
}
