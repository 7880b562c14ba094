/** The {@code reservoir} command. */
@NullMarked
package dev.reservoir.cli;

import org.jspecify.annotations.NullMarked;
