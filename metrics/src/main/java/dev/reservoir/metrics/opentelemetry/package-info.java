/** Metrics of Reservoir as instruments of OpenTelemetry. */
@NullMarked
package dev.reservoir.metrics.opentelemetry;

import org.jspecify.annotations.NullMarked;
