/**
 * Metrics as plain values, for any metrics library. A door says which metrics it has and what their values are. A
 * module for one library shows them. Nothing here depends on such a library.
 */
@NullMarked
package dev.reservoir.core.metrics;

import org.jspecify.annotations.NullMarked;
