/** The interface to a store: items under keys, conditional writes, and transactions. */
@NullMarked
package dev.reservoir.cluster.store;

import org.jspecify.annotations.NullMarked;
