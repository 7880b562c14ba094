/**
 * The service provider interfaces: the services that the engine needs from outside. Every slow operation is
 * asynchronous here, and time is a parameter. The same engine therefore runs on real threads and, event by event, on
 * virtual time.
 */
@NullMarked
package dev.reservoir.core.spi;

import org.jspecify.annotations.NullMarked;
