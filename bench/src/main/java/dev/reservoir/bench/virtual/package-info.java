/** Measures how a pool treats thousands of virtual threads: how often each is served and how long each waits. */
@NullMarked
package dev.reservoir.bench.virtual;

import org.jspecify.annotations.NullMarked;
