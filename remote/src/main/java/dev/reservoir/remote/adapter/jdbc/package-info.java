/** What all adapters for JDBC drivers have in common. An adapter adds one {@code DriverProfile} for each driver. */
@NullMarked
package dev.reservoir.remote.adapter.jdbc;

import org.jspecify.annotations.NullMarked;
