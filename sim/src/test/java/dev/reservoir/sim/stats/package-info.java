@NullMarked
package dev.reservoir.sim.stats;

import org.jspecify.annotations.NullMarked;
