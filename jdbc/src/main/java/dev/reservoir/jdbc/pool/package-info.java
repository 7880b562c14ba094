/** A running data source: checkout, validation at checkout, leak reports, logs and JMX. */
@NullMarked
package dev.reservoir.jdbc.pool;

import org.jspecify.annotations.NullMarked;
