/** A table in memory that behaves as a real store does, for tests and simulations. */
@NullMarked
package dev.reservoir.cluster.model;

import org.jspecify.annotations.NullMarked;
