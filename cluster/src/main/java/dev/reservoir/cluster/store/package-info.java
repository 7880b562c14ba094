/** What the cluster budget requires of a store: items under keys, conditional writes, and transactions. */
@NullMarked
package dev.reservoir.cluster.store;

import org.jspecify.annotations.NullMarked;
