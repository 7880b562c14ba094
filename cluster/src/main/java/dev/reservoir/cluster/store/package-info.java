/** What the cluster budget asks of a store: items under a key, read, written under conditions, and written together. */
@NullMarked
package dev.reservoir.cluster.store;

import org.jspecify.annotations.NullMarked;
