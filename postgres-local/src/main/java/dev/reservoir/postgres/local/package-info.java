/** A PostgreSQL server for one process, which no other user of the machine can use. */
@NullMarked
package dev.reservoir.postgres.local;

import org.jspecify.annotations.NullMarked;
