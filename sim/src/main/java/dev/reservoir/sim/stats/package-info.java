/** Statistics of a running simulation: waits, connects in each second, and when a fleet has converged. */
@NullMarked
package dev.reservoir.sim.stats;

import org.jspecify.annotations.NullMarked;
