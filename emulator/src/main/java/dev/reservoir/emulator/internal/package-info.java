/** Listens for clients of the emulator. */
@NullMarked
package dev.reservoir.emulator.internal;

import org.jspecify.annotations.NullMarked;
