/** Transactions that never wait for each other and conflict at COMMIT, on a PostgreSQL server that has only locks. */
@NullMarked
package dev.reservoir.emulator.internal.conflict;

import org.jspecify.annotations.NullMarked;
