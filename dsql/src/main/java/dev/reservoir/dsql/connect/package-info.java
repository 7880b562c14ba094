/** Connects to a cluster outside a reservoir, by URL and for standard mode. */
@NullMarked
package dev.reservoir.dsql.connect;

import org.jspecify.annotations.NullMarked;
