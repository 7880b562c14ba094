/** The parts of the engine. Nothing here is API. */
@NullMarked
package dev.reservoir.core.internal;

import org.jspecify.annotations.NullMarked;
