/** PostgreSQL itself: started, entered, and given its roles. */
@NullMarked
package dev.reservoir.emulator.internal.postgres;

import org.jspecify.annotations.NullMarked;
