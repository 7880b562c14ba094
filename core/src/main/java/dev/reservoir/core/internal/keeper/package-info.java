/** The keeper: decides on its event loop what to open, validate and retire. */
@NullMarked
package dev.reservoir.core.internal.keeper;

import org.jspecify.annotations.NullMarked;
