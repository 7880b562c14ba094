/** The pools that simulated processes use: the production engine, and models of other pools to compare it with. */
@NullMarked
package dev.reservoir.sim.pools;

import org.jspecify.annotations.NullMarked;
