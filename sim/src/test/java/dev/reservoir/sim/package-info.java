@NullMarked
package dev.reservoir.sim;

import org.jspecify.annotations.NullMarked;
