/** The adapters for PostgreSQL, MySQL, SQL Server, Firebird and ScratchBird. */
@NullMarked
package dev.reservoir.remote.adapter.database;

import org.jspecify.annotations.NullMarked;
