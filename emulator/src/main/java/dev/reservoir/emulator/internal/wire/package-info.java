/** Messages of PostgreSQL's protocol. */
@NullMarked
package dev.reservoir.emulator.internal.wire;

import org.jspecify.annotations.NullMarked;
