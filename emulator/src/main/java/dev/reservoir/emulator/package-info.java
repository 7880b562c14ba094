/** A server that rations and answers as Aurora DSQL does. {@link dev.reservoir.emulator.DsqlEmulator} is the door. */
@NullMarked
package dev.reservoir.emulator;

import org.jspecify.annotations.NullMarked;
