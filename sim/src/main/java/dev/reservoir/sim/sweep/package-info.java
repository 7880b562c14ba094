/** Runs a scenario with many settings, and finds those that meet the scenario's expectations. */
@NullMarked
package dev.reservoir.sim.sweep;

import org.jspecify.annotations.NullMarked;
