/** The metrics of a registry: one table that declares them, and the values. Depends on no metrics library. */
@NullMarked
package dev.reservoir.remote.metrics;

import org.jspecify.annotations.NullMarked;
