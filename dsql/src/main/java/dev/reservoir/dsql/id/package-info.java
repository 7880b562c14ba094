/** Ids for a database without sequences. */
@NullMarked
package dev.reservoir.dsql.id;

import org.jspecify.annotations.NullMarked;
