/** Leases of a whole cluster, with one class for each mode. */
@NullMarked
package dev.reservoir.cluster.leases;

import org.jspecify.annotations.NullMarked;
