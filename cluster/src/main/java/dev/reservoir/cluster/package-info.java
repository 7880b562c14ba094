/**
 * The cluster budget: how many connections a second a whole fleet may open, and how many it may hold, counted in items of a
 * store that knows conditional writes. Time is a parameter and every call to the store is asynchronous, so that the same
 * classes run in production and, event by event, on virtual time.
 */
@NullMarked
package dev.reservoir.cluster;

import org.jspecify.annotations.NullMarked;
