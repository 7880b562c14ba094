package dev.reservoir.remote.adapter.catalog;

import java.util.List;

/**
 * An index of a table.
 *
 * @param columns the columns, or expressions, in the order of the index
 */
public record IndexInfo(String table, String name, boolean unique, List<String> columns) {
    public IndexInfo {
        columns = List.copyOf(columns);
    }
}
