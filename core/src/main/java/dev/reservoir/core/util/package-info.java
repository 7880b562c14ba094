/** Small helpers that Reservoir's own modules share. They are exported to those modules only and are not API. */
@NullMarked
package dev.reservoir.core.util;

import org.jspecify.annotations.NullMarked;
