/** A JDBC driver whose methods do nothing, so that a measurement shows the pool and not the database. */
@NullMarked
package dev.reservoir.bench.stub;

import org.jspecify.annotations.NullMarked;
