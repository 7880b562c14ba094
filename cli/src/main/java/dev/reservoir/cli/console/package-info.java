/** What commands write, and how they fail. */
@NullMarked
package dev.reservoir.cli.console;

import org.jspecify.annotations.NullMarked;
