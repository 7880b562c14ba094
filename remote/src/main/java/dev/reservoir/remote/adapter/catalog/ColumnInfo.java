package dev.reservoir.remote.adapter.catalog;

/**
 * A column of a table.
 *
 * @param position the place in the table, from 1
 * @param sqlType a constant of {@link java.sql.Types}
 * @param typeName the name of the type in the remote database
 * @param size length of a text or precision of a number; 0 if it has none
 * @param scale digits after the decimal point; 0 if it has none
 * @param defaultValue the expression of the default; empty if there is none
 */
public record ColumnInfo(
        String table,
        String name,
        int position,
        int sqlType,
        String typeName,
        int size,
        int scale,
        boolean nullable,
        String defaultValue) {}
