/** Transactions that are run again when they conflict, and fenced updates. */
@NullMarked
package dev.reservoir.dsql.tx;

import org.jspecify.annotations.NullMarked;
