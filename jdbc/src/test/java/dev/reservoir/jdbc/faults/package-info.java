/**
 * The whole JDBC door against a real PostgreSQL, under load and under faults: a server that restarts, backends that are
 * killed, networks that swallow packets, passwords that change. Uses the public API alone.
 */
@NullMarked
package dev.reservoir.jdbc.faults;

import org.jspecify.annotations.NullMarked;
