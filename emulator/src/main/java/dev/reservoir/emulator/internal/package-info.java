/** The listeners of the emulator. */
@NullMarked
package dev.reservoir.emulator.internal;

import org.jspecify.annotations.NullMarked;
