/** Starts the data source of an application. */
@NullMarked
package dev.reservoir.spring.boot.source;

import org.jspecify.annotations.NullMarked;
