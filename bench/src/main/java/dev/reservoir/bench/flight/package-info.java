/**
 * Flight SQL: the pool beside one shared client, raw clients and the JDBC driver under HikariCP, on a server that runs
 * the statements of a session one after the other. {@link dev.reservoir.bench.flight.FlightPart} runs the cases.
 */
@NullMarked
package dev.reservoir.bench.flight;

import org.jspecify.annotations.NullMarked;
