/** Options for the tables of a budget and access to them, shared by all commands that need them. */
@NullMarked
package dev.reservoir.cli.budget;

import org.jspecify.annotations.NullMarked;
