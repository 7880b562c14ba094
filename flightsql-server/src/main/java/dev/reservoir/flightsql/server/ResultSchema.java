package dev.reservoir.flightsql.server;

import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBResultSetMetaData;
import org.duckdb.StatementReturnType;

/**
 * The schema that a prepared statement announces. Clients such as the Flight SQL JDBC driver send a statement without
 * columns as an update. Rare types are announced as text; the stream has the exact types.
 */
final class ResultSchema {
    private ResultSchema() {}

    /** The columns of the statement's result; none if it has no result. */
    static Schema of(PreparedStatement statement) throws SQLException {
        List<Field> fields = new ArrayList<>();
        ResultSetMetaData columns = statement.getMetaData();
        if (columns instanceof DuckDBResultSetMetaData duck
                && duck.getReturnType() == StatementReturnType.QUERY_RESULT) {
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                fields.add(Field.nullable(columns.getColumnName(i), type(columns, i)));
            }
        }
        return new Schema(fields);
    }

    private static ArrowType type(ResultSetMetaData columns, int column) throws SQLException {
        return switch (columns.getColumnType(column)) {
            case Types.BOOLEAN -> ArrowType.Bool.INSTANCE;
            case Types.TINYINT -> new ArrowType.Int(8, true);
            case Types.SMALLINT -> new ArrowType.Int(16, true);
            case Types.INTEGER -> new ArrowType.Int(32, true);
            case Types.BIGINT -> new ArrowType.Int(64, true);
            case Types.REAL, Types.FLOAT -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
            case Types.DOUBLE -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
            case Types.DECIMAL -> new ArrowType.Decimal(columns.getPrecision(column), columns.getScale(column), 128);
            case Types.DATE -> new ArrowType.Date(DateUnit.DAY);
            case Types.TIMESTAMP -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, null);
            case Types.BLOB -> ArrowType.Binary.INSTANCE;
            default -> ArrowType.Utf8.INSTANCE;
        };
    }
}
