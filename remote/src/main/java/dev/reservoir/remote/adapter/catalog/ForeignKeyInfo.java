package dev.reservoir.remote.adapter.catalog;

import java.util.List;

/**
 * A foreign key of a table.
 *
 * @param name the name of the constraint; empty if it has none
 * @param columns the columns that refer, in the order of the key
 * @param referencedSchema the schema of the other table; empty if the database has no schemas
 * @param referencedColumns the columns that they refer to, in the same order
 */
public record ForeignKeyInfo(
        String table,
        String name,
        List<String> columns,
        String referencedSchema,
        String referencedTable,
        List<String> referencedColumns) {
    public ForeignKeyInfo {
        columns = List.copyOf(columns);
        referencedColumns = List.copyOf(referencedColumns);
    }
}
