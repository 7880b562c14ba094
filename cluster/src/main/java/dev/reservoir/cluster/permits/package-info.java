/** Permits of a whole cluster, in each of the modes. */
@NullMarked
package dev.reservoir.cluster.permits;

import org.jspecify.annotations.NullMarked;
