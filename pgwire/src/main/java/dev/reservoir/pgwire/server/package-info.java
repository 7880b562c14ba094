/** The sessions of a {@link dev.reservoir.pgwire.PgServer}. */
@NullMarked
package dev.reservoir.pgwire.server;

import org.jspecify.annotations.NullMarked;
