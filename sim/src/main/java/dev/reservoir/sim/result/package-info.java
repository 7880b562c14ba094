/** What a simulation answers: samples over time, totals, verdicts, and the forms they are written in. */
@NullMarked
package dev.reservoir.sim.result;

import org.jspecify.annotations.NullMarked;
