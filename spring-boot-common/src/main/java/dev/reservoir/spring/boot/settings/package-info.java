/** The application's properties, and how they become settings of a data source. */
@NullMarked
package dev.reservoir.spring.boot.settings;

import org.jspecify.annotations.NullMarked;
