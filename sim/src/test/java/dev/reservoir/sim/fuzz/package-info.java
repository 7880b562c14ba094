@NullMarked
package dev.reservoir.sim.fuzz;

import org.jspecify.annotations.NullMarked;
