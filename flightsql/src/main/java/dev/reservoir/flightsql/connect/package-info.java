/** Opens, validates and closes Flight SQL connections: one channel, one TCP connection, one session. */
@NullMarked
package dev.reservoir.flightsql.connect;

import org.jspecify.annotations.NullMarked;
