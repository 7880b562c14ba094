/** The commands {@code reservoir sim}. */
@NullMarked
package dev.reservoir.cli.sim;

import org.jspecify.annotations.NullMarked;
