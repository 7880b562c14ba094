/** Inspection and repair of a cluster's budget, for operators. */
@NullMarked
package dev.reservoir.cluster.inspect;

import org.jspecify.annotations.NullMarked;
