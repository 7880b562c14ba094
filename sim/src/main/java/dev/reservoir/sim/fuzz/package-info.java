/** Random fleets and faults, every promise of the engine checked after every event, and failures made small. */
@NullMarked
package dev.reservoir.sim.fuzz;

import org.jspecify.annotations.NullMarked;
