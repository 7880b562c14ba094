/** Opens, validates and closes connections of a driver, and detects dead peers. */
@NullMarked
package dev.reservoir.jdbc.connect;

import org.jspecify.annotations.NullMarked;
