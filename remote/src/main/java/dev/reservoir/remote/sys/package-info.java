/**
 * The views of the registry in SQL. {@link dev.reservoir.remote.sys.SysDatabase} answers queries through
 * {@code jdbc:reservoir:sys:<registry>}; the package below it through a port for PostgreSQL's clients. H2 executes the
 * queries.
 */
@NullMarked
package dev.reservoir.remote.sys;

import org.jspecify.annotations.NullMarked;
