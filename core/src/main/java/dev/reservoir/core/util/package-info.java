/** Small helpers that Reservoir's own modules share. Exported to them alone: not API. */
@NullMarked
package dev.reservoir.core.util;

import org.jspecify.annotations.NullMarked;
