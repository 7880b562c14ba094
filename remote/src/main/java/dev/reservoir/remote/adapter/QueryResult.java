package dev.reservoir.remote.adapter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All rows of a query, read into memory.
 *
 * @param columns the labels of the columns
 * @param rows the values as the driver returns them, in the order of the columns
 */
public record QueryResult(List<String> columns, List<List<@Nullable Object>> rows) {
    public QueryResult {
        columns = List.copyOf(columns);
        rows = List.copyOf(rows);
    }

    /** The first value of the first row; null if there is no row or the value is null. */
    public @Nullable Object single() {
        return rows.isEmpty() ? null : rows.get(0).get(0);
    }
}
