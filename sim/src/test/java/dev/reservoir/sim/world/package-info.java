@NullMarked
package dev.reservoir.sim.world;

import org.jspecify.annotations.NullMarked;
