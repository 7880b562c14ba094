/** Tells what an error of a driver means. */
@NullMarked
package dev.reservoir.jdbc.error;

import org.jspecify.annotations.NullMarked;
