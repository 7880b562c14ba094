/** The embedded PostgreSQL server: its process, its roles and the login by SCRAM. */
@NullMarked
package dev.reservoir.emulator.internal.postgres;

import org.jspecify.annotations.NullMarked;
