/** Shows metrics to Prometheus over HTTP. */
@NullMarked
package dev.reservoir.metrics.prometheus;

import org.jspecify.annotations.NullMarked;
