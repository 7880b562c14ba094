/** Pools of Flight SQL connections on top of the engine. {@link dev.reservoir.flightsql.FlightSqlPool} is the door. */
@NullMarked
package dev.reservoir.flightsql;

import org.jspecify.annotations.NullMarked;
