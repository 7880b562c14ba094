/** Inspection and repair of a budget, for operators. */
@NullMarked
package dev.reservoir.cluster.inspect;

import org.jspecify.annotations.NullMarked;
