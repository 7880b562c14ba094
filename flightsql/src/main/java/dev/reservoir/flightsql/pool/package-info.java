/** A running pool: the engine, its threads, checkouts, and handles that nobody closed. */
@NullMarked
package dev.reservoir.flightsql.pool;

import org.jspecify.annotations.NullMarked;
