/** The embedded PostgreSQL server: its process and its roles. */
@NullMarked
package dev.reservoir.emulator.internal.postgres;

import org.jspecify.annotations.NullMarked;
