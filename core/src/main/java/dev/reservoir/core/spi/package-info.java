/**
 * The seams of the engine: what it asks of the world around it. Everything slow is asynchronous here, and time is a
 * parameter, so that the same engine runs on real threads and, event by event, on virtual time.
 */
@NullMarked
package dev.reservoir.core.spi;

import org.jspecify.annotations.NullMarked;
