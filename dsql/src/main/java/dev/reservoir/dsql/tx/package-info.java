/** Transactions that are run again after a conflict, and fenced updates. */
@NullMarked
package dev.reservoir.dsql.tx;

import org.jspecify.annotations.NullMarked;
