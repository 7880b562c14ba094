/** What a statement does, and whether DSQL takes it. */
@NullMarked
package dev.reservoir.emulator.internal.sql;

import org.jspecify.annotations.NullMarked;
