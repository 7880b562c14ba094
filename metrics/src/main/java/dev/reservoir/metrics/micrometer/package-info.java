/** Metrics of Reservoir as meters of Micrometer. */
@NullMarked
package dev.reservoir.metrics.micrometer;

import org.jspecify.annotations.NullMarked;
