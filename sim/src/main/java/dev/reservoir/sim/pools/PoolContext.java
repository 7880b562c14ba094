package dev.reservoir.sim.pools;

import dev.reservoir.core.spi.Connector;
import dev.reservoir.core.spi.Leases;
import dev.reservoir.core.spi.Listener;
import dev.reservoir.core.spi.Permits;
import dev.reservoir.core.spi.Time;
import dev.reservoir.sim.scenario.Scenario;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a pool is given by the process it runs in.
 *
 * @param name of the process
 * @param settings of the pool
 * @param time of the process
 * @param random its own source
 * @param connector to the database
 * @param permits the right to connect
 * @param leases the right to hold a connection, if that is counted
 * @param events hears what happens in the pool
 * @param listeners hear every event of the engine, if it is the engine
 */
public record PoolContext(
        String name,
        Scenario.Pool settings,
        Time time,
        RandomGenerator random,
        Connector<Link> connector,
        Permits permits,
        @Nullable Leases leases,
        PoolEvents events,
        List<Listener<Link>> listeners) {}
