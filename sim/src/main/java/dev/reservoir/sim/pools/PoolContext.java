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
 * The parts and settings that a process gives to its pool.
 *
 * @param name the name of the process
 * @param settings the settings of the pool
 * @param time the time of the process
 * @param random the pool's own random source
 * @param connector opens, validates and closes connections to the database
 * @param permits grants permits to connect
 * @param leases grants leases; null if connections are not counted
 * @param events receives what happens in the pool
 * @param listeners receive every event of the engine; other pools ignore them
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
