/** The tokens of SQL, as far as servers, mappings, calls and names of views need them. */
@NullMarked
package dev.reservoir.remote.sql.lexer;

import org.jspecify.annotations.NullMarked;
