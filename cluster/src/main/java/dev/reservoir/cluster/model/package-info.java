/** An in-memory table that behaves like a real store, for tests and simulations. */
@NullMarked
package dev.reservoir.cluster.model;

import org.jspecify.annotations.NullMarked;
