/** The commands {@code reservoir demo} and {@code reservoir emulator}. */
@NullMarked
package dev.reservoir.cli.run;

import org.jspecify.annotations.NullMarked;
