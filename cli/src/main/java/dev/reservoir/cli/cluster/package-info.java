/** The commands {@code reservoir cluster}. */
@NullMarked
package dev.reservoir.cli.cluster;

import org.jspecify.annotations.NullMarked;
