/** The engine behind the API, in parts. Nothing here is API. */
@NullMarked
package dev.reservoir.core.internal;

import org.jspecify.annotations.NullMarked;
