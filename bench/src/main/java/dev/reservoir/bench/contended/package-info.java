/**
 * Measures pools with more threads than connections: how many checkouts they serve, how evenly, and how long each
 * waits.
 */
@NullMarked
package dev.reservoir.bench.contended;

import org.jspecify.annotations.NullMarked;
