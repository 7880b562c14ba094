package dev.reservoir.demo.fleet;

import dev.reservoir.cluster.BudgetStats;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The connections of one life of a service. */
public interface ServicePool extends AutoCloseable {

    DataSource dataSource();

    /** How many connections it has, by state. Does not block. */
    Levels levels();

    /** The service's part in the cluster budget, where there is one. Does not block. */
    default @Nullable BudgetStats budget() {
        return null;
    }

    /** Ends it as the death of its process would: connections break off, and nothing is given back. Does not block for long. */
    void crash();

    /** Ends it in order. Blocks. */
    @Override
    void close();

    /**
     * Connections by state.
     *
     * @param opening connects under way or waiting for their turn
     * @param ready can be lent
     * @param inUse on loan
     * @param replaced closed since the start, for whatever reason
     * @param waiting requests that wait for a connection
     * @param full whether it holds all that it is set to hold
     */
    record Levels(int opening, int ready, int inUse, long replaced, int waiting, boolean full) {
        static final Levels NONE = new Levels(0, 0, 0, 0, 0, false);

        public int open() {
            return ready + inUse;
        }
    }
}
