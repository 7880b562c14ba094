package dev.reservoir.demo.fleet;

import dev.reservoir.cluster.BudgetStats;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The connections of one life of a service. */
public interface ServicePool extends AutoCloseable {

    DataSource dataSource();

    /** Returns the number of connections by state. Does not block. */
    Levels levels();

    /** Returns the service's part of the cluster's budget, or null if there is none. Does not block. */
    default @Nullable BudgetStats budget() {
        return null;
    }

    /**
     * Ends the pool as the death of its process would. Its connections break, and nothing is released. Does not block
     * for long.
     */
    void crash();

    /** Closes the pool in order. Blocks. */
    @Override
    void close();

    /**
     * Numbers of connections by state.
     *
     * @param opening connects that are running or wait for a permit
     * @param ready connections that can be acquired
     * @param inUse connections in use
     * @param replaced connections closed since the start, for any reason
     * @param waiting callers that wait for a connection
     * @param full whether the pool holds as many connections as it is set to hold
     */
    record Levels(int opening, int ready, int inUse, long replaced, int waiting, boolean full) {
        static final Levels NONE = new Levels(0, 0, 0, 0, 0, false);

        public int open() {
            return ready + inUse;
        }
    }
}
