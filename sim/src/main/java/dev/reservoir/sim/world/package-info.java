/** The simulated world: the database, the coordinator, the processes of the fleet and their workload. */
@NullMarked
package dev.reservoir.sim.world;

import org.jspecify.annotations.NullMarked;
