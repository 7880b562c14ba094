package dev.reservoir.remote.adapter.catalog;

import java.util.List;

/**
 * The primary key of a table.
 *
 * @param name the name of the constraint; empty if it has none
 * @param columns the columns in the order of the key
 */
public record PrimaryKeyInfo(String table, String name, List<String> columns) {
    public PrimaryKeyInfo {
        columns = List.copyOf(columns);
    }
}
