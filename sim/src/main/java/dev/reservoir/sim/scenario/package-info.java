/** The input of a simulation: the scenario, and the files it is read from. */
@NullMarked
package dev.reservoir.sim.scenario;

import org.jspecify.annotations.NullMarked;
