/** Real processes that share one cluster budget, and what is done to them. */
@NullMarked
package dev.reservoir.dynamodb.processes;

import org.jspecify.annotations.NullMarked;
