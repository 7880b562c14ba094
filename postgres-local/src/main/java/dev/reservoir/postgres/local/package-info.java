/** A PostgreSQL of one process, which nobody else on the machine can use. */
@NullMarked
package dev.reservoir.postgres.local;

import org.jspecify.annotations.NullMarked;
