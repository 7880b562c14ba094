/**
 * A server that applies the limits of Aurora DSQL and answers as it does. Start with
 * {@link dev.reservoir.emulator.DsqlEmulator}.
 */
@NullMarked
package dev.reservoir.emulator;

import org.jspecify.annotations.NullMarked;
