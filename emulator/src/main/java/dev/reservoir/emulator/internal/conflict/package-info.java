/** Transactions that never wait for each other and conflict at COMMIT, on a PostgreSQL that knows only locks. */
@NullMarked
package dev.reservoir.emulator.internal.conflict;

import org.jspecify.annotations.NullMarked;
