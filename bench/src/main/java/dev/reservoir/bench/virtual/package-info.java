/** How a pool treats thousands of virtual threads: who is served how often, and how long anyone waits. */
@NullMarked
package dev.reservoir.bench.virtual;

import org.jspecify.annotations.NullMarked;
