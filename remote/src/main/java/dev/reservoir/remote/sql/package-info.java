/**
 * Servers and user mappings in SQL: the parser of the statements, the catalog that they change, and the calls that they
 * make.
 */
@NullMarked
package dev.reservoir.remote.sql;

import org.jspecify.annotations.NullMarked;
