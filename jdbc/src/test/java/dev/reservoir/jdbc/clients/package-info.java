/** Real clients on top of the data source and the driver. */
@NullMarked
package dev.reservoir.jdbc.clients;

import org.jspecify.annotations.NullMarked;
