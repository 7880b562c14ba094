/** What a remote database contains: schemas, tables, columns, indexes and keys. */
@NullMarked
package dev.reservoir.remote.adapter.catalog;

import org.jspecify.annotations.NullMarked;
