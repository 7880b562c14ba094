/** The JDBC door of Reservoir: a data source, a driver, and their settings. */
@NullMarked
package dev.reservoir.jdbc;

import org.jspecify.annotations.NullMarked;
