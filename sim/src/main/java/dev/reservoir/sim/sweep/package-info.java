/** Runs a scenario with many settings, and says which of them meet what the scenario expects. */
@NullMarked
package dev.reservoir.sim.sweep;

import org.jspecify.annotations.NullMarked;
