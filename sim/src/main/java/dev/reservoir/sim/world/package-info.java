/** What is pretended: the database, the coordinator, the processes of the fleet and what they do. */
@NullMarked
package dev.reservoir.sim.world;

import org.jspecify.annotations.NullMarked;
