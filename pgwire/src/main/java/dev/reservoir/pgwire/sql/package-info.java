/** The words of an SQL text and its statements. */
@NullMarked
package dev.reservoir.pgwire.sql;

import org.jspecify.annotations.NullMarked;
