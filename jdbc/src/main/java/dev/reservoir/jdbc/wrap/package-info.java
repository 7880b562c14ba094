/** Wrappers around the objects of a driver, from acquire to release. */
@NullMarked
package dev.reservoir.jdbc.wrap;

import org.jspecify.annotations.NullMarked;
