/** Settings of a data source: from a builder, a bean, properties, the environment or JNDI. */
@NullMarked
package dev.reservoir.jdbc.config;

import org.jspecify.annotations.NullMarked;
