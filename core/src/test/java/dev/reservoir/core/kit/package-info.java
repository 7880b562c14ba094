/** The basis of the engine's tests: a simulated world on virtual time, and a checker of the promises. */
@NullMarked
package dev.reservoir.core.kit;

import org.jspecify.annotations.NullMarked;
