package dev.reservoir.flightsql.jdbc;

import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.sql.FlightSqlColumnMetadata;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** Describes the columns of a result: by their Arrow types, and by what the server adds to them. */
final class ColumnMetadata implements ResultSetMetaData {
    private final List<Field> fields;

    ColumnMetadata(Schema schema) {
        fields = schema.getFields();
    }

    void check(int column) throws SQLException {
        if (column < 1 || column > fields.size()) {
            throw new SQLException(
                    "no column " + column + "; there are " + fields.size() + ", counted from 1",
                    SqlErrors.BAD_ARGUMENT);
        }
    }

    private Field field(int column) throws SQLException {
        check(column);
        return fields.get(column - 1);
    }

    private ColumnType type(int column) throws SQLException {
        return ColumnType.of(field(column).getType());
    }

    /** What the server says in addition. Its methods return null for what the server does not say. */
    private FlightSqlColumnMetadata added(int column) throws SQLException {
        Map<String, String> metadata = field(column).getMetadata();
        return new FlightSqlColumnMetadata(metadata == null ? Map.of() : metadata);
    }

    private static <T> T or(@Nullable T value, T otherwise) {
        return value == null ? otherwise : value;
    }

    @Override
    public int getColumnCount() {
        return fields.size();
    }

    @Override
    public String getColumnName(int column) throws SQLException {
        return field(column).getName();
    }

    @Override
    public String getColumnLabel(int column) throws SQLException {
        return getColumnName(column);
    }

    @Override
    public String getCatalogName(int column) throws SQLException {
        return or(added(column).getCatalogName(), "");
    }

    @Override
    public String getSchemaName(int column) throws SQLException {
        return or(added(column).getSchemaName(), "");
    }

    @Override
    public String getTableName(int column) throws SQLException {
        return or(added(column).getTableName(), "");
    }

    @Override
    public int getColumnType(int column) throws SQLException {
        return type(column).code();
    }

    @Override
    public String getColumnTypeName(int column) throws SQLException {
        return or(added(column).getTypeName(), type(column).name());
    }

    @Override
    public String getColumnClassName(int column) throws SQLException {
        return type(column).javaClass().getName();
    }

    @Override
    public int getPrecision(int column) throws SQLException {
        return or(added(column).getPrecision(), type(column).precision());
    }

    @Override
    public int getScale(int column) throws SQLException {
        return or(added(column).getScale(), type(column).scale());
    }

    @Override
    public int getColumnDisplaySize(int column) throws SQLException {
        return type(column).width();
    }

    @Override
    public boolean isSigned(int column) throws SQLException {
        return type(column).signed();
    }

    @Override
    public int isNullable(int column) throws SQLException {
        return field(column).isNullable() ? columnNullable : columnNoNulls;
    }

    @Override
    public boolean isAutoIncrement(int column) throws SQLException {
        return or(added(column).isAutoIncrement(), false);
    }

    @Override
    public boolean isCaseSensitive(int column) throws SQLException {
        return or(added(column).isCaseSensitive(), type(column).javaClass() == String.class);
    }

    @Override
    public boolean isSearchable(int column) throws SQLException {
        return or(added(column).isSearchable(), true);
    }

    @Override
    public boolean isCurrency(int column) throws SQLException {
        check(column);
        return false;
    }

    @Override
    public boolean isReadOnly(int column) throws SQLException {
        check(column);
        return true;
    }

    @Override
    public boolean isWritable(int column) throws SQLException {
        return !isReadOnly(column);
    }

    @Override
    public boolean isDefinitelyWritable(int column) throws SQLException {
        return !isReadOnly(column);
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("the metadata wraps no " + type.getName(), SqlErrors.BAD_ARGUMENT);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
