/**
 * A Flight SQL server on DuckDB for tests and trials. Its sessions follow the rules of a server that ties a session to
 * one TCP connection.
 */
@NullMarked
package dev.reservoir.flightsql.server;

import org.jspecify.annotations.NullMarked;
