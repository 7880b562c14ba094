package dev.reservoir.cluster;

import dev.reservoir.core.spi.Leases;

/** Leases of a cluster, in one of the modes. */
interface RationedLeases extends Leases, Holding {
    /** At the desk. */
    BudgetStats.Leases stats();

    /** Refuses all from now on. At the desk. */
    void close();
}
