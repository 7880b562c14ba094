/** Leases of a whole cluster, in each of the modes. */
@NullMarked
package dev.reservoir.cluster.leases;

import org.jspecify.annotations.NullMarked;
