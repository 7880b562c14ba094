/** Messages of PostgreSQL's protocol 3.0: reads, writes and splits them. */
@NullMarked
package dev.reservoir.pgwire.message;

import org.jspecify.annotations.NullMarked;
