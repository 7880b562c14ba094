/** Finds out what a statement does and whether DSQL accepts it. */
@NullMarked
package dev.reservoir.emulator.internal.sql;

import org.jspecify.annotations.NullMarked;
