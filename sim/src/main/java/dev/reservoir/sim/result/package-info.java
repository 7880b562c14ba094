/** The result of a simulation: samples over time, totals and verdicts, and the formats in which they are written. */
@NullMarked
package dev.reservoir.sim.result;

import org.jspecify.annotations.NullMarked;
