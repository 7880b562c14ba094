package dev.reservoir.cluster;

import dev.reservoir.core.spi.Permits;

/** Permits of a cluster, in one of the modes. */
interface RationedPermits extends Permits {
    /** At the desk. */
    BudgetStats.Permits stats();

    /** Refuses all from now on, and gives back what can be given back. At the desk. */
    void close();
}
