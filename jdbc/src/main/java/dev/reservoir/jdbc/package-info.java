/** The JDBC door of Reservoir. */
@NullMarked
package dev.reservoir.jdbc;

import org.jspecify.annotations.NullMarked;
