/**
 * The Flight SQL commands. Their libraries are large, so the launcher builds this package only for a command line that
 * names one of them, and {@code Commands} finds its classes by name.
 */
@NullMarked
package dev.reservoir.cli.flight;

import org.jspecify.annotations.NullMarked;
