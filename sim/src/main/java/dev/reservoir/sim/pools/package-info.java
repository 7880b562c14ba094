/** The pools that processes use: the production engine, and models of others to compare it with. */
@NullMarked
package dev.reservoir.sim.pools;

import org.jspecify.annotations.NullMarked;
