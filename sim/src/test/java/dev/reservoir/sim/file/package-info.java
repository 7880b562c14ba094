@NullMarked
package dev.reservoir.sim.file;

import org.jspecify.annotations.NullMarked;
