/** The base of all protocols of the budget: the layout of the items, calls to the store, its clock and its health. */
@NullMarked
package dev.reservoir.cluster.protocol;

import org.jspecify.annotations.NullMarked;
