/** Shows results as {@code java.sql.ResultSet}, for code and tools that read nothing else. */
@NullMarked
package dev.reservoir.flightsql.jdbc;

import org.jspecify.annotations.NullMarked;
