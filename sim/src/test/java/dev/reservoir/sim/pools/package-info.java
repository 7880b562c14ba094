@NullMarked
package dev.reservoir.sim.pools;

import org.jspecify.annotations.NullMarked;
