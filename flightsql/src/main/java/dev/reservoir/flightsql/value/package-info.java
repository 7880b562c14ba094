/** Turns Arrow vectors into plain Java values and back. */
@NullMarked
package dev.reservoir.flightsql.value;

import org.jspecify.annotations.NullMarked;
