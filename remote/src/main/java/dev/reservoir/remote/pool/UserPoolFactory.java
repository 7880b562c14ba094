package dev.reservoir.remote.pool;

import dev.reservoir.core.Targets;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.jdbc.ReservoirDataSource;
import dev.reservoir.remote.adapter.DatabaseAdapter;
import dev.reservoir.remote.model.ServerDefinition;
import org.jspecify.annotations.Nullable;

/**
 * Starts the data source of a user pool. It is a parameter, because the data source brings threads and a clock: a
 * simulation runs the pools of a server on virtual time with a data source of its own.
 */
@FunctionalInterface
interface UserPoolFactory {
    /** The data source of the JDBC door, on real threads and the clock of the machine. */
    UserPoolFactory ON_THREADS = UserPoolSettings::start;

    /** Starts a data source. Does not block, except to load a driver. */
    ReservoirDataSource start(Parts parts);

    /**
     * All that a data source is made of.
     *
     * @param targets how many connections it holds at first
     * @param share the source of leases; null for the one connection of health checks
     * @param permits the server's limit of connects per second, or null
     */
    record Parts(
            String name,
            ServerDefinition server,
            DatabaseAdapter adapter,
            Targets targets,
            AdapterConnections connections,
            ConnectionRecords records,
            ServerLeases.@Nullable Share share,
            @Nullable Permits permits) {

        /** Whether it is for health checks. */
        boolean isMonitor() {
            return share == null;
        }
    }
}
