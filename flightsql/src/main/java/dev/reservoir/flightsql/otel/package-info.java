/** Traces calls with OpenTelemetry, whose API the application brings. Nothing else in this module needs it. */
@NullMarked
package dev.reservoir.flightsql.otel;

import org.jspecify.annotations.NullMarked;
