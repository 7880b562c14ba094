/** Scenario files: how they are read, written and checked, and those that come with the simulator. */
@NullMarked
package dev.reservoir.sim.file;

import org.jspecify.annotations.NullMarked;
