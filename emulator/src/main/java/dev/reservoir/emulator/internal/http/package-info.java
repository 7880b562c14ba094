/** Counters, limits and faults over HTTP. */
@NullMarked
package dev.reservoir.emulator.internal.http;

import org.jspecify.annotations.NullMarked;
