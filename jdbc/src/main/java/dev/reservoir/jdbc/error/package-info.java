/** Classifies the errors of a driver. */
@NullMarked
package dev.reservoir.jdbc.error;

import org.jspecify.annotations.NullMarked;
