@NullMarked
package dev.reservoir.sim.scenario;

import org.jspecify.annotations.NullMarked;
