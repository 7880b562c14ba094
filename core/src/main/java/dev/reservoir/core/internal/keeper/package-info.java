/** The keeper, which decides on its event loop which connections to open, validate and retire. */
@NullMarked
package dev.reservoir.core.internal.keeper;

import org.jspecify.annotations.NullMarked;
