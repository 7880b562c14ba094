/**
 * The budget of a cluster: how many connections a whole fleet may open per second, and how many it may hold open. The
 * budget is counted in items of a store that supports conditional writes. Time is a parameter, and every call to the
 * store is asynchronous. The same classes therefore run in production and, event by event, on virtual time.
 */
@NullMarked
package dev.reservoir.cluster;

import org.jspecify.annotations.NullMarked;
