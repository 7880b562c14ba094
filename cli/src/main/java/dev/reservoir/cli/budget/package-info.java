/** Options and access to the tables of a budget, for all commands that need them. */
@NullMarked
package dev.reservoir.cli.budget;

import org.jspecify.annotations.NullMarked;
