/** Finds out from the text of a statement whether it only reads and whether it changes the session. */
@NullMarked
package dev.reservoir.flightsql.sql;

import org.jspecify.annotations.NullMarked;
