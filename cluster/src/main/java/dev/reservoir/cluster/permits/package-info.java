/** Permits of a whole cluster, with one class for each mode. */
@NullMarked
package dev.reservoir.cluster.permits;

import org.jspecify.annotations.NullMarked;
