/**
 * The whole JDBC door on a real PostgreSQL, under load and under faults: a server that restarts, backends that are
 * killed, networks that drop packets, passwords that change. Uses only the public API.
 */
@NullMarked
package dev.reservoir.jdbc.faults;

import org.jspecify.annotations.NullMarked;
