/** Runs calls on one connection, judges their failures and stops them on the server. */
@NullMarked
package dev.reservoir.flightsql.call;

import org.jspecify.annotations.NullMarked;
