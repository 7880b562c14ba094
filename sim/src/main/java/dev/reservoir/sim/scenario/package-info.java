/** The input of a simulation: the scenario, and the table of its keys. */
@NullMarked
package dev.reservoir.sim.scenario;

import org.jspecify.annotations.NullMarked;
