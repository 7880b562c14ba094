/** A connection from its first byte until its session begins. */
@NullMarked
package dev.reservoir.pgwire.startup;

import org.jspecify.annotations.NullMarked;
