/** The output of commands, their settings, and the exceptions with which they fail. */
@NullMarked
package dev.reservoir.cli.console;

import org.jspecify.annotations.NullMarked;
