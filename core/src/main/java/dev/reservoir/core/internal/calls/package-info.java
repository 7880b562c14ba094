/** The event loop, and calls into code outside the engine: listeners, callbacks and the SPI. */
@NullMarked
package dev.reservoir.core.internal.calls;

import org.jspecify.annotations.NullMarked;
