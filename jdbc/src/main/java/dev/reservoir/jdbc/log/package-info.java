/** Log lines that block nobody and hold no secret. */
@NullMarked
package dev.reservoir.jdbc.log;

import org.jspecify.annotations.NullMarked;
