package dev.reservoir.flightsql;

import dev.reservoir.flightsql.value.VectorValues;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One row of a result. It shows the current batch and is valid until the next row is read; what its methods return
 * stays valid. Columns are counted from 0. A name is looked up exactly as the server gave it, then without regard to
 * case.
 */
public final class Row {
    private final List<FieldVector> vectors;
    private final Map<String, Integer> columns;
    private int index;

    Row(VectorSchemaRoot root, Map<String, Integer> columns) {
        vectors = root.getFieldVectors();
        this.columns = columns;
    }

    static Map<String, Integer> columns(Schema schema) {
        Map<String, Integer> columns = new LinkedHashMap<>();
        List<Field> fields = schema.getFields();
        for (int i = 0; i < fields.size(); i++) {
            columns.putIfAbsent(fields.get(i).getName(), i);
        }
        return columns;
    }

    Row at(int row) {
        index = row;
        return this;
    }

    /** How many columns there are. */
    public int size() {
        return vectors.size();
    }

    /** The names of the columns. */
    public List<String> names() {
        return vectors.stream().map(FieldVector::getName).toList();
    }

    /** The index of a column. */
    public int column(String name) {
        return column(columns, name);
    }

    static int column(Map<String, Integer> columns, String name) {
        Integer exact = columns.get(name);
        if (exact != null) {
            return exact;
        }
        for (Map.Entry<String, Integer> column : columns.entrySet()) {
            if (column.getKey().equalsIgnoreCase(name)) {
                return column.getValue();
            }
        }
        throw new FlightSqlException(
                FlightSqlException.Kind.MAPPING, null, "no column " + name + "; there are " + columns.keySet(), null);
    }

    /** The value as a plain Java object, or null. */
    public @Nullable Object get(int column) {
        if (column < 0 || column >= vectors.size()) {
            throw new FlightSqlException(
                    FlightSqlException.Kind.MAPPING,
                    null,
                    "no column " + column + "; there are " + vectors.size() + ", counted from 0",
                    null);
        }
        try {
            return VectorValues.get(vectors.get(column), index);
        } catch (DateTimeException | ArithmeticException e) {
            throw new FlightSqlException(
                    FlightSqlException.Kind.MAPPING,
                    null,
                    "column " + vectors.get(column).getName() + " has a date or time that Java does not have",
                    e);
        }
    }

    public @Nullable Object get(String column) {
        return get(column(column));
    }

    /**
     * The value as an object of this type, or null. Integers and decimals are converted if nothing is lost;
     * {@code Float} and {@code Double} are rounded.
     */
    public <T> @Nullable T get(int column, Class<T> type) {
        return RowMapping.convert(get(column), type, vectors.get(column).getName());
    }

    public <T> @Nullable T get(String column, Class<T> type) {
        return get(column(column), type);
    }

    public @Nullable String getString(int column) {
        return get(column, String.class);
    }

    public @Nullable String getString(String column) {
        return get(column(column), String.class);
    }

    /** The number, which must not be null. */
    public long getLong(int column) {
        return required(column, Long.class);
    }

    public long getLong(String column) {
        return getLong(column(column));
    }

    /** The number, which must not be null. */
    public double getDouble(int column) {
        return required(column, Double.class);
    }

    public double getDouble(String column) {
        return getDouble(column(column));
    }

    public @Nullable BigDecimal getBigDecimal(String column) {
        return get(column, BigDecimal.class);
    }

    private <T> T required(int column, Class<T> type) {
        T value = get(column, type);
        if (value == null) {
            throw new FlightSqlException(
                    FlightSqlException.Kind.MAPPING,
                    null,
                    "column " + vectors.get(column).getName() + " is null",
                    null);
        }
        return value;
    }

    /** The row as a record or a bean of this type. See {@link QueryResult#stream(Class)}. */
    public <T> T as(Class<T> type) {
        return RowMapping.of(type).map(this);
    }

    /** The values by the names of their columns, in their order. */
    public Map<String, @Nullable Object> asMap() {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        columns.forEach((name, column) -> map.put(name, get(column)));
        return map;
    }
}
