/** The commands {@code reservoir tables}. */
@NullMarked
package dev.reservoir.cli.tables;

import org.jspecify.annotations.NullMarked;
