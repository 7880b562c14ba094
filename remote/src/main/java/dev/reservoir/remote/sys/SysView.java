package dev.reservoir.remote.sys;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A view: its columns, and how they follow from the rows of a {@link SysSource}. {@link SysViews} has them all.
 *
 * @param <R> the rows
 */
final class SysView<R> {
    private final String name;
    private final Function<SysSource, List<R>> rows;
    private final List<Column<R>> columns = new ArrayList<>();

    SysView(String name, Function<SysSource, List<R>> rows) {
        this.name = name;
        this.rows = rows;
    }

    /**
     * A column of a view.
     *
     * @param type its type in SQL
     * @param doc its meaning; empty if the name says it all
     */
    public record Column<R>(String name, String type, Function<R, @Nullable Object> value, String doc) {}

    SysView<R> text(String column, Function<R, @Nullable Object> value, String doc) {
        return add(column, "varchar", value, doc);
    }

    SysView<R> flag(String column, Function<R, @Nullable Object> value, String doc) {
        return add(column, "boolean", value, doc);
    }

    SysView<R> number(String column, Function<R, @Nullable Object> value, String doc) {
        return add(column, "integer", value, doc);
    }

    SysView<R> count(String column, Function<R, @Nullable Object> value, String doc) {
        return add(column, "bigint", value, doc);
    }

    SysView<R> real(String column, Function<R, @Nullable Object> value, String doc) {
        return add(column, "double precision", value, doc);
    }

    SysView<R> id(String column, Function<R, @Nullable Object> value, String doc) {
        return add(column, "uuid", value, doc);
    }

    SysView<R> time(String column, Function<R, @Nullable Instant> value, String doc) {
        return add(
                column,
                "timestamp(6) with time zone",
                row -> {
                    Instant at = value.apply(row);
                    return at == null ? null : at.atOffset(ZoneOffset.UTC);
                },
                doc);
    }

    private SysView<R> add(String column, String type, Function<R, @Nullable Object> value, String doc) {
        columns.add(new Column<>(column, type, value, doc));
        return this;
    }

    /** The name without the schema. */
    public String name() {
        return name;
    }

    public List<Column<R>> columns() {
        return Collections.unmodifiableList(columns);
    }

    /** The values of all rows, in the order of the columns. */
    List<List<@Nullable Object>> values(SysSource source) {
        List<List<@Nullable Object>> all = new ArrayList<>();
        for (R row : rows.apply(source)) {
            List<@Nullable Object> values = new ArrayList<>(columns.size());
            for (Column<R> column : columns) {
                values.add(column.value().apply(row));
            }
            all.add(values);
        }
        return all;
    }
}
