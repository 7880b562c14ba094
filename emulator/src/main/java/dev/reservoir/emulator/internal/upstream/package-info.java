/** The server behind the emulator: PostgreSQL, or a stub. */
@NullMarked
package dev.reservoir.emulator.internal.upstream;

import org.jspecify.annotations.NullMarked;
