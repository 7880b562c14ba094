/**
 * Random fleets and faults. Every promise of the engine is checked after every event, and failing scenarios are made
 * small.
 */
@NullMarked
package dev.reservoir.sim.fuzz;

import org.jspecify.annotations.NullMarked;
