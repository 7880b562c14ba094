/** The server in JUnit tests. Only this package needs JUnit's API. */
@NullMarked
package dev.reservoir.flightsql.server.junit;

import org.jspecify.annotations.NullMarked;
