/** Counters and the settings in force. */
@NullMarked
package dev.reservoir.core.internal.stats;

import org.jspecify.annotations.NullMarked;
