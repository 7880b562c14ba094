/** The pools of one server: its user pools, and the limit that they share. */
@NullMarked
package dev.reservoir.remote.pool;

import org.jspecify.annotations.NullMarked;
