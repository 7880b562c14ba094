/** Calls into code that is not the engine's: the event loop, listeners, callbacks and SPI calls. */
@NullMarked
package dev.reservoir.core.internal.calls;

import org.jspecify.annotations.NullMarked;
